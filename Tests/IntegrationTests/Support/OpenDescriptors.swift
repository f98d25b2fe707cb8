import Foundation
import LaunchServicesTesting
import Testing

/// The file descriptors that a process has open, counted by kind (`socket`, `anon_inode:[pidfd]`, a path).
struct OpenDescriptors: Equatable, CustomStringConvertible {
  private var counts: [String: Int] = [:]

  private static let pidfd = "anon_inode:[pidfd]"

  /// - Throws: when the process has ended.
  init(of pid: Int32) throws {
    let folder = "/proc/\(pid)/fd"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      // A descriptor that was closed since the folder was read has no target.
      guard
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + name)
      else { continue }
      // A socket is listed as socket:[NUMBER].
      let kind = target.hasPrefix("socket:") ? "socket" : target
      counts[kind, default: 0] += 1
    }
  }

  var total: Int { counts.values.reduce(0, +) }

  var description: String {
    counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }

  /// Nothing is open that was not before. The exception is one pidfd: the main process of a unit is watched
  /// only when systemd has named it, which may be after the receipt.
  func isWithin(_ before: OpenDescriptors) -> Bool {
    counts.allSatisfy { kind, count in
      count <= before.counts[kind, default: 0] + (kind == Self.pidfd ? 1 : 0)
    }
  }
}

extension Testbed {
  @MainActor func daemonDescriptors() throws -> OpenDescriptors {
    try OpenDescriptors(of: daemon.pid)
  }

  /// Waits until the daemon has closed what it opened since.
  /// - Throws: `NeverCame`, after an issue that lists what is open and what was.
  @MainActor func daemonDescriptors(comeBackTo before: OpenDescriptors) async throws {
    var now = before
    do {
      try await waitUntil("the descriptors of before") {
        now = try daemonDescriptors()
        return now.isWithin(before)
      }
    } catch {
      Issue.record("before: \(before); now: \(now)")
      throw error
    }
  }
}
