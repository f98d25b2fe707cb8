internal import CHost
internal import Events
internal import Glibc

/// Receives SIGTERM, SIGINT, SIGHUP and SIGQUIT as events.
@MainActor package final class StopSignals {
  package enum Signal: Hashable, Sendable {
    case terminate, interrupt, hangUp, quit

    init?(number: UInt8) {
      switch Int32(number) {
      case SIGTERM: self = .terminate
      case SIGINT: self = .interrupt
      case SIGHUP: self = .hangUp
      case SIGQUIT: self = .quit
      default: return nil
      }
    }

    package var number: Int32 {
      switch self {
      case .terminate: SIGTERM
      case .interrupt: SIGINT
      case .hangUp: SIGHUP
      case .quit: SIGQUIT
      }
    }
  }

  private let watch: DescriptorWatch

  /// Queues stop signals for delivery instead of ending the process. Call this first in a program.
  ///
  /// The signals are caught, not blocked: the thread that calls `dispatchMain()`, or that an asynchronous
  /// `main` leaves behind, unblocks every signal before Dispatch may be ready. Also ignores SIGPIPE, so that a
  /// write to a closed pipe fails with an error, and resets SIGCHLD, which the parent process may have set to
  /// be ignored, so that children can be reaped.
  ///
  /// Throws when no descriptor is free.
  package nonisolated static func block() throws(Errno) {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGCHLD, SIG_DFL)
    guard chost_catch_stop_signals() >= 0 else { throw Errno.last }
  }

  /// Calls `onSignal` for each signal since `block()`, as long as this object exists. Create only one per
  /// program.
  package init(onSignal: @escaping @MainActor (Signal) -> Void) throws(Errno) {
    try Self.block()
    let blocked = chost_catch_stop_signals()
    watch = DescriptorWatch(closing: try Descriptor(duplicating: blocked).release()) {
      for signal in Self.waiting(blocked) { onSignal(signal) }
    }
  }

  private static func waiting(_ descriptor: Int32) -> [Signal] {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    return bytes.prefix(max(0, count)).compactMap { Signal(number: $0) }
  }
}
