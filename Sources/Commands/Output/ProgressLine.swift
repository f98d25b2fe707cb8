internal import Glibc

/// How many property lists have been read, on one line of a terminal that is written again and again.
package final class ProgressLine {
  private let command: String
  private let terminal: Int32
  /// Characters of the line as it stands; 0 when there is none.
  private var width = 0

  /// - Parameter descriptor: Nil unless it leads to a terminal.
  package init?(command: String, descriptor: Int32 = STDERR_FILENO) {
    guard isatty(descriptor) == 1 else { return nil }
    self.command = command
    terminal = descriptor
  }

  /// Says less on a terminal that is narrow, and nothing on one that has no room for the numbers.
  package func show(_ read: UInt64, of found: UInt64) {
    let numbers = "\(read) of \(found)"
    let room = room
    let text =
      ["\(command): \(numbers) property lists read", numbers].first { $0.utf8.count <= room } ?? ""
    let last = min(width, room)
    write("\r" + text + String(repeating: " ", count: max(0, last - text.utf8.count)))
    width = text.utf8.count
    if read == found { end() }
  }

  /// Columns that can be written without a new line of the terminal's own.
  private var room: Int {
    var size = winsize()
    guard unsafe ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return .max }
    return Int(size.ws_col) - 1
  }

  /// What is written next begins a line of its own.
  package func end() {
    if width > 0 { write("\n") }
    width = 0
  }

  /// Leaves it out when the terminal takes nothing, as after Control-S: nobody waits for this.
  private func write(_ text: String) {
    var ready = pollfd(fd: terminal, events: Int16(POLLOUT), revents: 0)
    guard unsafe poll(&ready, 1, 0) == 1, ready.revents & Int16(POLLOUT) != 0 else { return }
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(terminal, $0.baseAddress, $0.count) }
  }
}
