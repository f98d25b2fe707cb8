// The few Linux calls that Swift's Glibc module does not import.
#pragma once
#define _GNU_SOURCE
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int chost_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }
