internal import CHost
internal import Events
internal import Glibc

/// The signals that ask a daemon to stop or reload, delivered as events.
@MainActor package final class StopSignals {
  package enum Signal: Hashable, Sendable {
    case terminate, interrupt, hangUp

    init?(number: UInt8) {
      switch Int32(number) {
      case SIGTERM: self = .terminate
      case SIGINT: self = .interrupt
      case SIGHUP: self = .hangUp
      default: return nil
      }
    }
  }

  private let watch: DescriptorWatch

  /// The first thing a program does: from now on a stop signal waits to be delivered instead of
  /// killing.
  ///
  /// They are caught, not blocked: the thread that calls `dispatchMain()`, or that an asynchronous
  /// `main` leaves behind, unblocks every signal, at a time when Dispatch may not listen yet.
  /// A write to a closed pipe becomes an error instead of a death, and children are not reaped by
  /// the kernel behind our back, whatever the program that started this one had chosen.
  ///
  /// Throws when no descriptors are left.
  package nonisolated static func hold() throws(Errno) {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGCHLD, SIG_DFL)
    guard chost_catch_stop_signals() >= 0 else { throw Errno.last }
  }

  /// `onSignal` is called for each signal since `hold()`, for as long as this is held. There is
  /// one of this in a program.
  package init(onSignal: @escaping @MainActor (Signal) -> Void) throws(Errno) {
    try Self.hold()
    let held = chost_catch_stop_signals()
    watch = DescriptorWatch(closing: try Descriptor(duplicating: held).release()) {
      for signal in Self.waiting(held) { onSignal(signal) }
    }
  }

  private static func waiting(_ descriptor: Int32) -> [Signal] {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    return bytes.prefix(max(0, count)).compactMap { Signal(number: $0) }
  }
}
