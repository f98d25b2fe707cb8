internal import Events
internal import Glibc

/// The reading end of a pipe, whose data is split into lines.
@MainActor final class LineReader {
  /// Pass this to the writing process, then call `closeWritingEnd`.
  let writingEnd: Int32
  private var watch: DescriptorWatch?
  private let descriptor: Int32
  private var rest: [UInt8] = []
  /// Called for each line, without its end.
  var onLine: ((String) -> Void)?

  init() throws(TestbedFailure) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw TestbedFailure("no pipe could be made") }
    let reading = ends[0]
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(reading, F_SETFL, O_NONBLOCK)
    descriptor = reading
    writingEnd = ends[1]
    watch = DescriptorWatch(closing: reading) { [weak self] in self?.read() }
  }

  func closeWritingEnd() { close(writingEnd) }

  private func read() {
    while true {
      var failed = false
      let piece = unsafe [UInt8](unsafeUninitializedCapacity: 65536) { buffer, filled in
        let count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        failed = count < 0
        filled = max(0, count)
      }
      if failed { return }
      if piece.isEmpty {
        watch = nil
        return
      }
      take(piece)
    }
  }

  private func take(_ piece: [UInt8]) {
    rest += piece
    var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    rest = Array(lines.removeLast())
    for line in lines { onLine?(String(decoding: line, as: UTF8.self)) }
  }
}
