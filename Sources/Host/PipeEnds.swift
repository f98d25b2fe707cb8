internal import Glibc

/// The two ends of a pipe. No program that this process starts inherits them.
package struct PipeEnds {
  package let reading: Int32
  package let writing: Int32

  /// The caller closes both ends.
  package init() throws(Errno) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw Errno.last }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }

  /// Makes reading and writing fail in place of waiting.
  package static func neverWait(_ end: Int32) { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
}
