#define _GNU_SOURCE
#include "CHost.h"
#include <errno.h>
#include <malloc.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
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

int chost_memory_file(void) { return memfd_create("launch-services", MFD_CLOEXEC); }

int chost_spawn_close_from(void *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int chost_spawn_change_folder(void *actions, int folder) {
  return posix_spawn_file_actions_addfchdir_np(actions, folder);
}

long chost_random(void *bytes, size_t count) { return getrandom(bytes, count, 0); }

const char *chost_error_text(int number) { return strerrordesc_np(number); }

const char *chost_signal_name(int number) { return sigabbrev_np(number); }

void chost_trim_heap(void) { malloc_trim(0); }

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
