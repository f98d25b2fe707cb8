internal import Glibc

/// The number of property lists that have been read, shown in one terminal line that is overwritten.
package final class ProgressLine {
  private let command: String
  private let terminal: Int32
  /// Width of the displayed line in characters; 0 without a line.
  private var width = 0

  /// - Parameter descriptor: the initializer returns nil if the descriptor is not a terminal.
  package init?(command: String, descriptor: Int32 = STDERR_FILENO) {
    guard isatty(descriptor) == 1 else { return nil }
    self.command = command
    terminal = descriptor
  }

  /// Shows a shorter text on a narrow terminal, and nothing on one that is too narrow for the numbers.
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

  /// Number of columns available without a line wrap.
  private var room: Int {
    var size = winsize()
    guard unsafe ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return .max }
    return Int(size.ws_col) - 1
  }

  /// Ends the line, so that further output begins on a new line.
  package func end() {
    if width > 0 { write("\n") }
    width = 0
  }

  /// Writes the text, unless the terminal accepts no output, as after Control-S.
  private func write(_ text: String) {
    var ready = pollfd(fd: terminal, events: Int16(POLLOUT), revents: 0)
    guard unsafe poll(&ready, 1, 0) == 1, ready.revents & Int16(POLLOUT) != 0 else { return }
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(terminal, $0.baseAddress, $0.count) }
  }
}
