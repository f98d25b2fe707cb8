/// Calls on the main actor whenever a descriptor can be read or written, until it is cancelled or
/// dropped.
///
/// In place of Dispatch's own sources. On Linux these can use memory that was freed when one is
/// cancelled while its descriptor hangs up (swift-corelibs-libdispatch issue 949), and each event
/// passes two more threads.
///
/// Sendable and with a plain `deinit`, so that nothing is called any more from the moment the last
/// holder lets go, wherever that is.
package final class DescriptorWatch: Sendable {
  package struct Interest: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let reading = Interest(rawValue: 1)
    package static let writing = Interest(rawValue: 2)
  }

  private let token: UInt64

  /// - Parameters:
  ///   - descriptor: Belongs to the watch from now on, which closes it in the end.
  ///   - action: Also called when the other end has gone or the descriptor is broken, again and
  ///     again: reading it says what is wrong. It is called once for what cannot be watched at all.
  package init(
    closing descriptor: Int32, for interest: Interest = .reading,
    _ action: @escaping @MainActor () -> Void
  ) {
    token = Poller.shared.add(descriptor, interest, action)
  }

  /// What to wait for from now on.
  package func wait(for interest: Interest) { Poller.shared.wait(for: interest, token) }

  /// Nothing is called any more, and the descriptor is closed; may be called again.
  package func cancel() { Poller.shared.remove(token) }

  deinit { cancel() }
}
