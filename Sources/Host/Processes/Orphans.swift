internal import CHost
internal import Events
internal import Glibc

/// Makes this process the subreaper of its descendants, and reaps orphans when they end.
@MainActor package final class Orphans {
  private var watch: DescriptorWatch?
  private var again: Deadline?

  package init() throws(Errno) {
    let descriptor = chost_become_subreaper()
    guard descriptor >= 0 else { throw .last }
    watch = DescriptorWatch(closing: try Descriptor(duplicating: descriptor).release()) {
      [weak self] in
      var bytes = [UInt8](repeating: 0, count: 64)
      while unsafe read(descriptor, &bytes, bytes.count) > 0 {}
      self?.reap()
    }
  }

  private func reap() {
    again = nil
    while case let pid = chost_ended_child(), pid > 0 {
      guard !ChildProcess.isWatched(pid) else {
        // The child's own watch reaps it; until then waitid reports no other child.
        again = Deadline(after: .milliseconds(20)) { [weak self] in self?.reap() }
        return
      }
      waitpid(pid, nil, WNOHANG)
    }
  }
}
