internal import CEvents
internal import Dispatch
internal import Glibc

/// Who waits for the events of `DescriptorWatch`.
///
/// A program of ours ends its `main` in `run()`: its main thread waits and acts, and no event has to
/// pass from thread to thread. In any other program the main thread is somebody else's (a test's, a
/// Foundation application's); there a thread of our own waits, and hands over to the main queue.
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

  /// Called on the main queue, whoever serves that.
  static func serveFromThread() {
    guard !isRunning, !hasThread else { return }
    hasThread = true
    // The signals of the process are not this thread's business.
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let error = unsafe pthread_create(
      &thread, nil, handOver, nil)
    guard error == 0 else {
      fatalError("no thread can be started to wait for events: error \(error)")
    }
    pthread_detach(thread)
  }
}

/// The life of the thread. Not a closure, which would claim to be on the main actor.
private func handOver(_: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  while true {
    let tokens = Poller.shared.next()
    Poller.onMainQueue { for token in tokens { Poller.shared.perform(token) } }
  }
}
