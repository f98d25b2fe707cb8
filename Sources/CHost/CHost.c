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
  // Links such as /proc/self/fd/3 lead to what this process has open.
  struct open_how how = {.flags = flags | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
  int number = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
  // A kernel before 5.6, or a filter of system calls that does not know it.
  if (number < 0 && (errno == ENOSYS || errno == EPERM)) number = open(path, flags | O_CLOEXEC);
  if (number < 0) {
    struct stat status;
    int error = errno;
    // Without such a link it would be a loop for everybody.
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

// Read end, write end.
static int stop_pipe[2] = {-1, -1};

// Whatever thread it runs on, this may only do what signal-safety(7) allows.
static void note_stop_signal(int number) {
  int before = errno;
  unsigned char byte = (unsigned char)number;
  // A pipe that is full holds thousands of unread signals already.
  ssize_t written = write(stop_pipe[1], &byte, 1);
  (void)written;
  errno = before;
}

void chost_trim_heap(void) { malloc_trim(0); }

int chost_catch_stop_signals(void) {
  if (stop_pipe[0] >= 0) return stop_pipe[0];
  if (pipe2(stop_pipe, O_CLOEXEC | O_NONBLOCK) < 0) return -1;
  struct sigaction action = {.sa_handler = note_stop_signal, .sa_flags = SA_RESTART};
  sigset_t caught;
  sigemptyset(&caught);
  const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
  for (int i = 0; i < 3; i++) {
    sigaddset(&caught, numbers[i]);
    sigaction(numbers[i], &action, NULL);
  }
  // Who started us may have blocked them.
  pthread_sigmask(SIG_UNBLOCK, &caught, NULL);
  return stop_pipe[0];
}

static int child_pipe[2] = {-1, -1};

static void note_child_signal(int number) {
  int before = errno;
  unsigned char byte = (unsigned char)number;
  ssize_t written = write(child_pipe[1], &byte, 1);
  (void)written;
  errno = before;
}

int chost_become_subreaper(void) {
  if (child_pipe[0] >= 0) return child_pipe[0];
  if (pipe2(child_pipe, O_CLOEXEC | O_NONBLOCK) < 0) return -1;
  struct sigaction action = {.sa_handler = note_child_signal, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
  sigaction(SIGCHLD, &action, NULL);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  pthread_sigmask(SIG_UNBLOCK, &child, NULL);
  return prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 ? -1 : child_pipe[0];
}

int chost_ended_child(void) {
  siginfo_t info = {0};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ? 0 : info.si_pid;
}
