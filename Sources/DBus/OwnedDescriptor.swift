internal import Glibc

/// A file descriptor that is closed when the last reference is released.
package final class OwnedDescriptor: Hashable, Sendable {
  package let number: Int32

  /// Takes ownership of `number`; no other code may close it.
  package init(adopting number: Int32) { self.number = number }

  deinit { close(number) }

  /// Whether the descriptor is a pidfd of a process that has ended.
  var isOfEndedProcess: Bool {
    var state = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&state, 1, 0) != 0
  }

  package static func == (left: OwnedDescriptor, right: OwnedDescriptor) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
