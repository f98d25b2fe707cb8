// The few Linux calls that Swift's Glibc module does not import.
#pragma once
#include <stddef.h>

/// A descriptor that becomes readable when the process ends; closed on exec. -1 and errno on error.
int chost_pidfd_open(int pid);

/// Opens a document as open(2) does, closed on exec; no part of /proc or /sys, nor what a link there leads to.
/// -1 and errno on error, -2 when it is such a part.
int chost_open_document(const char *path, int flags);

/// The same with O_PATH, which only finds it.
int chost_find_document(const char *path);

/// An empty file in memory without a name; closed on exec. -1 and errno on error.
int chost_memory_file(void);

// `actions` is a posix_spawn_file_actions_t; its header stays out so that Glibc alone declares it.

/// The child starts with no descriptor from `first` on.
int chost_spawn_close_from(void *actions, int first);

/// The child starts in the folder that `folder` is open on.
int chost_spawn_change_folder(void *actions, int folder);

/// Fills `bytes` from the kernel's generator; at most 256, which never come in part.
/// -1 and errno on error.
long chost_random(void *bytes, size_t count);

/// A constant English text such as "No such file or directory", or NULL. Safe on any thread.
const char *chost_error_text(int number);

/// A constant name without its SIG, such as "TERM", or NULL. Safe on any thread.
const char *chost_signal_name(int number);

/// Gives what is free in the heap back to the system.
void chost_trim_heap(void);

/// Catches SIGTERM, SIGINT and SIGHUP from now on. Each arrives as one byte, its number, at the
/// descriptor that is returned, which stays open and never blocks; the same one at each call.
/// -1 and errno on error.
int chost_catch_stop_signals(void);

/// From now on this process is the parent of those that its children leave behind. The descriptor, which
/// stays open and never blocks, becomes readable when a child has ended; the same one at each call.
/// -1 and errno on error.
int chost_become_subreaper(void);

/// The number of a child that has ended and was not reaped; 0 when there is none.
int chost_ended_child(void);
