/// Calls an action on the main actor whenever a descriptor is readable or writable, until the watch is cancelled or
/// released.
///
/// Replaces Dispatch sources. On Linux a Dispatch source can use freed memory when it is cancelled while its
/// descriptor hangs up (swift-corelibs-libdispatch issue 949), and each event passes two more threads.
///
/// Sendable and with a nonisolated `deinit`, so that no action is called after the last reference is released,
/// on whichever thread that happens.
package final class DescriptorWatch: Sendable {
  package struct Interest: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let reading = Interest(rawValue: 1)
    package static let writing = Interest(rawValue: 2)
  }

  private let token: UInt64

  /// - Parameters:
  ///   - descriptor: The watch owns the descriptor and closes it.
  ///   - action: Also called, repeatedly, when the other end has hung up or the descriptor has an error; reading
  ///     then returns the error. Called once if epoll cannot watch the descriptor.
  package init(
    closing descriptor: Int32, for interest: Interest = .reading,
    _ action: @escaping @MainActor () -> Void
  ) {
    token = Poller.shared.add(descriptor, interest, action)
  }

  /// Changes the events to wait for.
  package func wait(for interest: Interest) { Poller.shared.wait(for: interest, token) }

  /// Stops the watch and closes the descriptor. Later calls have no effect.
  package func cancel() { Poller.shared.remove(token) }

  deinit { cancel() }
}
