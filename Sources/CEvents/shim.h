#pragma once
// epoll, which Swift's Glibc module does not import, with a token per descriptor; and the two functions that
// libdispatch exports for event loops (see MainLoop): the first returns a descriptor that is readable while
// the main queue has work, the second performs that work.
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

// Waits, and returns the number of tokens, at most 64. -1 and errno on error.
static inline int cevents_wait(int queue, uint64_t *tokens) {
  struct epoll_event events[64];
  int count = epoll_wait(queue, events, 64, -1);
  for (int i = 0; i < count; i++) tokens[i] = events[i].data.u64;
  return count;
}

// Resets the main queue's descriptor, so that it becomes readable only for new work.
static inline void cevents_take(int announcements) {
  uint64_t count;
  ssize_t ignored = read(announcements, &count, sizeof count);
  (void)ignored;
}
