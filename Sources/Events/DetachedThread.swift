internal import Glibc

/// Starts threads that handle no signals and are never joined.
package enum DetachedThread {
  /// Starts a thread that runs `body`.
  /// - Returns: the error number of `pthread_create`; 0 when the thread was started.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Int32 {
    // A new thread has the signal mask of the thread that starts it.
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let work = unsafe Unmanaged.passRetained(Work(body))
    let error = unsafe pthread_create(
      &thread, nil,
      { raw in
        if let raw = unsafe raw {
          unsafe Unmanaged<Work>.fromOpaque(raw).takeRetainedValue().body()
        }
        return nil
      }, work.toOpaque())
    guard error == 0 else {
      unsafe work.release()
      return error
    }
    pthread_detach(thread)
    return 0
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
