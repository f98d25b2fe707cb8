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

/// Opens `path` with `O_PATH` if the kernel has it in its cache, so that no file system is asked and the call does not
/// block. Returns -1 and errno on error: EAGAIN when the kernel would have to ask.
/// - device, inode: get the identity of the file.
int chost_open_cached(const char *path, unsigned long long *device, unsigned long long *inode);

/// The identity of the file `name` in the folder `folder` as the kernel remembers it; does not ask the file system of
/// the target of a link in /proc. -1 and errno on error.
int chost_remembered_identity(int folder, const char *name, unsigned long long *device, unsigned long long *inode);

/// Writes the mount point above the absolute path `path` to `place`, if its file system is that of a server or of a
/// program. Returns 0 if so, otherwise -1. Asks no file system.
int chost_foreign_mount(const char *path, char *place, size_t size);

/// memmem(3).
const void *chost_find_bytes(const void *bytes, size_t size, const void *wanted, size_t wanted_size);

/// Returns a descriptor of an empty, nameless file in memory; closed on exec. -1 and errno on error.
int chost_memory_file(void);

/// The parameters of a new process.
typedef struct {
  const char *path;
  char *const *arguments;
  char *const *variables;
  /// The descriptor of the working directory; -1 for that of this process.
  int folder;
  /// Whether the process leads a process group in this session, and not a new session.
  int stays_in_session;
  /// Pairs of a descriptor of this process, which is at least 3, and its number in the new process.
  const int *redirections;
  int redirection_count;
  /// The soft limit of open files; 0 for that of this process.
  unsigned long most_files;
} chost_launch;

/// Starts a process, which gets no other descriptors than the redirections and 0, 1 and 2, an empty signal mask and the
/// default action for each signal. Blocks until exec has opened the program, which can take minutes: another process
/// may hold a lease (fcntl(2)), or a file server may not answer. Waits at most 0.5 s for the writer of a program that is
/// open for writing. Call it on a thread that blocks all signals.
/// - pid: gets the number of the process before exec. Read it with `chost_load`.
/// Returns 0, or the error number; the process, if one was started, has ended then and waits for waitpid(2).
int chost_spawn(const chost_launch *launch, int *pid);

/// The number of this thread.
int chost_thread(void);

/// Reads a number that another thread writes.
int chost_load(const int *number);

/// Fills `bytes` with at most 256 random bytes of the kernel; never with fewer than `count`. -1 and errno on
/// error.
long chost_random(void *bytes, size_t count);

/// Returns a constant English text such as "No such file or directory", or NULL. Safe on any thread.
const char *chost_error_text(int number);

/// Returns a constant name without SIG, such as "TERM", or NULL. Safe on any thread.
const char *chost_signal_name(int number);

/// Returns free memory of the heap to the system.
void chost_trim_heap(void);

/// Has blocks of 1 MiB and more returned to the system as soon as they are freed. By default, the C library raises this size
/// to that of the largest freed block, up to 32 MiB.
void chost_return_large_blocks(void);

/// Catches SIGTERM, SIGINT and SIGHUP. Returns a descriptor from which each signal can be read as one byte,
/// its number. The descriptor stays open, never blocks, and is the same at each call. -1 and errno on error.
int chost_catch_stop_signals(void);

/// Makes this process the parent of orphaned descendants. Returns a descriptor that becomes readable when a
/// child has ended. The descriptor stays open, never blocks, and is the same at each call. -1 and errno on
/// error.
int chost_become_subreaper(void);

/// Returns the PID of a child that has ended and was not reaped; 0 when there is none.
int chost_ended_child(void);
