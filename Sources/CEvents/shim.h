#pragma once
// epoll, which Swift's module of the C library leaves out, with numbers for what is watched; and the
// door that libdispatch keeps for event loops: the main queue announces its work on a descriptor, and
// the loop has it done. CoreFoundation uses the same two functions.
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);

static inline int cevents_queue(void) { return epoll_create1(EPOLL_CLOEXEC); }

static inline int cevents_control(
    int queue, int operation, int descriptor, uint32_t events, uint64_t token) {
  struct epoll_event event = {.events = events, .data = {.u64 = token}};
  return epoll_ctl(queue, operation, descriptor, &event);
}

// How many tokens there are, at most 64; -1 and errno.
static inline int cevents_wait(int queue, uint64_t *tokens) {
  struct epoll_event events[64];
  int count = epoll_wait(queue, events, 64, -1);
  for (int i = 0; i < count; i++) tokens[i] = events[i].data.u64;
  return count;
}

// The main queue's announcements so far are taken note of.
static inline void cevents_take(int announcements) {
  uint64_t count;
  ssize_t ignored = read(announcements, &count, sizeof count);
  (void)ignored;
}
