#define _GNU_SOURCE
#include "CHost.h"
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

int chost_pidfd_open(int pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int chost_spawn_close_from(void *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int chost_spawn_change_folder(void *actions, int folder) {
  return posix_spawn_file_actions_addfchdir_np(actions, folder);
}

long chost_random(void *bytes, size_t count) { return getrandom(bytes, count, 0); }

const char *chost_error_text(int number) { return strerrordesc_np(number); }

const char *chost_signal_name(int number) { return sigabbrev_np(number); }
