// Linux calls that Swift's Glibc module does not import.
#pragma once
#include <stddef.h>

/// Returns a descriptor that becomes readable when the process ends; closed on exec. -1 and errno on error.
int chost_pidfd_open(int pid);

/// Opens a document like open(2), closed on exec. Returns -1 and errno on error, and -2 for a file in /proc
/// or /sys or behind a link there.
int chost_open_document(const char *path, int flags);

/// Like chost_open_document, with O_PATH, which needs no permission for the file itself.
int chost_find_document(const char *path);

/// Returns a descriptor of an empty, nameless file in memory; closed on exec. -1 and errno on error.
int chost_memory_file(void);

// `actions` is a posix_spawn_file_actions_t; its header is not included, so that only Glibc declares it.

/// Closes the descriptors from `first` upwards in the child.
int chost_spawn_close_from(void *actions, int first);

/// Makes the folder of the descriptor `folder` the working directory of the child.
int chost_spawn_change_folder(void *actions, int folder);

/// Fills `bytes` with at most 256 random bytes of the kernel; never with fewer than `count`. -1 and errno on
/// error.
long chost_random(void *bytes, size_t count);

/// Returns a constant English text such as "No such file or directory", or NULL. Safe on any thread.
const char *chost_error_text(int number);

/// Returns a constant name without SIG, such as "TERM", or NULL. Safe on any thread.
const char *chost_signal_name(int number);

/// Returns free memory of the heap to the system.
void chost_trim_heap(void);

/// Catches SIGTERM, SIGINT and SIGHUP. Returns a descriptor from which each signal can be read as one byte,
/// its number. The descriptor stays open, never blocks, and is the same at each call. -1 and errno on error.
int chost_catch_stop_signals(void);

/// Makes this process the parent of orphaned descendants. Returns a descriptor that becomes readable when a
/// child has ended. The descriptor stays open, never blocks, and is the same at each call. -1 and errno on
/// error.
int chost_become_subreaper(void);

/// Returns the PID of a child that has ended and was not reaped; 0 when there is none.
int chost_ended_child(void);
