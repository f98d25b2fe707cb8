internal import Glibc

/// A file descriptor that is closed when the last holder lets go of it.
package final class OwnedDescriptor: Hashable, Sendable {
  package let number: Int32

  /// Takes over `number`: nobody else may close it.
  package init(adopting number: Int32) { self.number = number }

  deinit { close(number) }

  /// It stands for a process, and that has ended.
  var isOfEndedProcess: Bool {
    var state = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&state, 1, 0) != 0
  }

  package static func == (left: OwnedDescriptor, right: OwnedDescriptor) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
