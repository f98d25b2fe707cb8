#define _GNU_SOURCE
#include "CHost.h"
#include <errno.h>
#include <malloc.h>
#include <mntent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int chost_pidfd_open(int pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int chost_open_document(const char *path, int flags) {
  // Links such as /proc/self/fd/3 lead to open files of this process.
  struct open_how how = {.flags = flags | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
  int number = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
  // A kernel before 5.6, or a filter of system calls without openat2(2).
  if (number < 0 && (errno == ENOSYS || errno == EPERM)) number = open(path, flags | O_CLOEXEC);
  if (number < 0) {
    struct stat status;
    int error = errno;
    // stat(2) fails, too, if the links form a loop. Otherwise the error is due to RESOLVE_NO_MAGICLINKS.
    if (error == ELOOP && stat(path, &status) == 0) return -2;
    errno = error;
    return -1;
  }
  struct statfs system;
  if (fstatfs(number, &system) == 0 &&
      (system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC)) {
    close(number);
    return -2;
  }
  return number;
}

int chost_find_document(const char *path) { return chost_open_document(path, O_PATH); }

int chost_remembered_identity(int folder, const char *name, unsigned long long *device,
                              unsigned long long *inode) {
  struct statx status;
  int flags = AT_STATX_DONT_SYNC | (*name == 0 ? AT_EMPTY_PATH : 0);
  if (statx(folder, name, flags, STATX_INO, &status) < 0) return -1;
  *device = makedev(status.stx_dev_major, status.stx_dev_minor);
  *inode = status.stx_ino;
  return 0;
}

int chost_open_cached(const char *path, unsigned long long *device, unsigned long long *inode) {
  struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_CACHED};
  int number = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
  if (number < 0) {
    // A kernel before 5.12, or a filter of system calls without openat2(2).
    if (errno == ENOSYS || errno == EPERM || errno == EINVAL) errno = EAGAIN;
    return -1;
  }
  if (chost_remembered_identity(number, "", device, inode) == 0) return number;
  close(number);
  errno = EAGAIN;
  return -1;
}

static int is_foreign(const char *type) {
  static const char *const types[] = {"fuse", "nfs", "cifs", "smb", "9p", "afs", "ceph", "autofs", "virtiofs"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (strncmp(type, types[i], strlen(types[i])) == 0) return 1;
  }
  return 0;
}

int chost_foreign_mount(const char *path, char *place, size_t size) {
  FILE *table = setmntent("/proc/self/mounts", "re");
  if (table == NULL) return -1;
  struct mntent entry;
  char text[8192];
  size_t longest = 0;
  int result = -1;
  while (getmntent_r(table, &entry, text, sizeof text) != NULL) {
    size_t length = strlen(entry.mnt_dir);
    int isAbove = strncmp(path, entry.mnt_dir, length) == 0
        && (length == 1 || path[length] == '/' || path[length] == 0);
    // A later mount at the same place hides the earlier one.
    if (!isAbove || length < longest || length >= size) continue;
    longest = length;
    result = is_foreign(entry.mnt_type) ? 0 : -1;
    memcpy(place, entry.mnt_dir, length + 1);
  }
  endmntent(table);
  return result;
}

const void *chost_find_bytes(const void *bytes, size_t size, const void *wanted, size_t wanted_size) {
  return memmem(bytes, size, wanted, wanted_size);
}

int chost_memory_file(void) { return memfd_create("launch-services", MFD_CLOEXEC); }

// Runs in the child of vfork(2), which shares the memory of this process until exec: it calls only functions that
// signal-safety(7) allows, and changes nothing but its own kernel state.
static int prepare_child(const chost_launch *launch) {
  struct sigaction standard = {.sa_handler = SIG_DFL};
  for (int number = 1; number < NSIG; number++) sigaction(number, &standard, NULL);
  if ((launch->stays_in_session ? setpgid(0, 0) : setsid()) < 0) return errno;
  for (int i = 0; i < launch->redirection_count; i++) {
    const int *redirection = launch->redirections + 2 * i;
    if (dup2(redirection[0], redirection[1]) < 0) return errno;
  }
  if (launch->folder >= 0 && fchdir(launch->folder) < 0) return errno;
  closefrom(3);
  struct rlimit limit;
  if (launch->most_files > 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = launch->most_files < limit.rlim_max ? launch->most_files : limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) < 0) return errno;
  }
  sigset_t none;
  sigemptyset(&none);
  return sigprocmask(SIG_SETMASK, &none, NULL) < 0 ? errno : 0;
}

__attribute__((noinline)) int chost_spawn(const chost_launch *launch, int *pid) {
  volatile int error = 0;
  // posix_spawn(3) does not tell the number of the process before exec has opened the program.
  pid_t child = vfork();
  if (child < 0) return errno;
  if (child == 0) {
    __atomic_store_n(pid, (int)getpid(), __ATOMIC_RELEASE);
    error = prepare_child(launch);
    // A program that was just written is busy until each process that was started meanwhile has closed the
    // descriptor of the writer, which happens at its exec.
    const struct timespec pause = {.tv_nsec = 5 * 1000 * 1000};
    for (int tries = 0; error == 0 || (error == ETXTBSY && tries < 100); tries++) {
      if (tries > 0) nanosleep(&pause, NULL);
      execve(launch->path, launch->arguments, launch->variables);
      error = errno;
    }
    _exit(127);
  }
  return error;
}

int chost_thread(void) { return gettid(); }

int chost_load(const int *number) { return __atomic_load_n(number, __ATOMIC_ACQUIRE); }

long chost_random(void *bytes, size_t count) { return getrandom(bytes, count, 0); }

const char *chost_error_text(int number) { return strerrordesc_np(number); }

const char *chost_signal_name(int number) { return sigabbrev_np(number); }

void chost_trim_heap(void) { malloc_trim(0); }

void chost_return_large_blocks(void) {
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 4 << 20);
}

// Signals arrive through pipes and handlers, not through signalfd(2), which requires blocked signals on every
// thread: dispatchMain() and the end of an asynchronous main unblock them.
typedef struct {
  int read_end, write_end;
} signal_pipe;

static signal_pipe stop_signals = {-1, -1}, child_signals = {-1, -1};

// Runs on any thread, so it calls only functions that signal-safety(7) allows.
static void write_signal(int number) {
  int before = errno;
  unsigned char byte = (unsigned char)number;
  // A full pipe contains thousands of unread signals already.
  ssize_t written = write((number == SIGCHLD ? child_signals : stop_signals).write_end, &byte, 1);
  (void)written;
  errno = before;
}

// Returns the read end of the pipe, the same at each call; -1 and errno on error.
static int catch_signals(signal_pipe *pipe, int flags, const int *numbers, int count) {
  if (pipe->read_end >= 0) return pipe->read_end;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) return -1;
  *pipe = (signal_pipe){ends[0], ends[1]};
  struct sigaction action = {.sa_handler = write_signal, .sa_flags = SA_RESTART | flags};
  sigset_t caught;
  sigemptyset(&caught);
  for (int i = 0; i < count; i++) {
    sigaddset(&caught, numbers[i]);
    sigaction(numbers[i], &action, NULL);
  }
  // The parent process may have blocked the signals.
  pthread_sigmask(SIG_UNBLOCK, &caught, NULL);
  return pipe->read_end;
}

int chost_catch_stop_signals(void) {
  return catch_signals(&stop_signals, 0, (const int[]){SIGTERM, SIGINT, SIGHUP, SIGQUIT}, 4);
}

int chost_become_subreaper(void) {
  int ends = catch_signals(&child_signals, SA_NOCLDSTOP, (const int[]){SIGCHLD}, 1);
  return ends < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 ? -1 : ends;
}

int chost_ended_child(void) {
  siginfo_t info = {0};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ? 0 : info.si_pid;
}
