internal import CEvents
internal import Dispatch

/// The event loop that serves the descriptors of `DescriptorWatch` and Dispatch's main queue.
///
/// The programs of this package end their `main` in `run()`: the main thread waits in epoll and calls the
/// actions itself. In other programs (tests, Foundation applications) the main thread is not available; there a
/// thread waits in epoll and dispatches the actions to the main queue.
///
/// `run()` calls two functions that libdispatch exports for event loops but declares in no public header:
/// `_dispatch_get_main_queue_handle_4CF` and `_dispatch_main_queue_callback_4CF`. CoreFoundation's run loop uses
/// the same two; if a version of libdispatch drops them, the link fails. The public means cost more. Measured for
/// one byte sent to another process's `DescriptorWatch` and back (release build, 2 cores under load, medians of five
/// alternating runs of 5,000 round trips):
///
/// | loop | round trip | CPU time per event | context switches per event | threads | private memory |
/// |---|---|---|---|---|---|
/// | `run()` | 14.0 µs | 8.5 µs | 1.0 | 1 | 776 kB |
/// | epoll thread and `dispatchMain()` | 21.2 µs | 16.3 µs | 1.9 | 3 | 896 kB |
/// | Dispatch source on the epoll queue and `dispatchMain()` | 25.8 µs | 21.5 µs | 3.0 | 3 | 816 kB |
@MainActor package enum MainLoop {
  private static var isRunning = false
  private static var hasThread = false

  /// Serves the watched descriptors and the main queue, on the main thread.
  package static func run() -> Never {
    isRunning = true
    let announcements = _dispatch_get_main_queue_handle_4CF()
    Poller.shared.waitAndAct(announcements)
    while true {
      for token in Poller.shared.next() {
        guard token == Poller.mainQueue else {
          Poller.shared.perform(token)
          continue
        }
        cevents_take(announcements)
        _dispatch_main_queue_callback_4CF(nil)
      }
    }
  }

  /// Starts the thread, unless `run()` was called. Runs on the main queue.
  static func serveFromThread() {
    guard !isRunning, !hasThread else { return }
    hasThread = true
    let error = DetachedThread.start(handOver)
    guard error == 0 else {
      fatalError("cannot start the thread that waits for events: error \(error)")
    }
  }
}

/// The thread's main function. Not a closure, because that would be isolated to the main actor.
@Sendable private func handOver() {
  while true {
    let tokens = Poller.shared.next()
    Poller.onMainQueue { for token in tokens { Poller.shared.perform(token) } }
  }
}
