internal import FoundationEssentials
internal import Glibc
internal import Host

/// The processes of a testbed that the test did not start itself: their environment contains the path of its
/// folder.
@MainActor package struct Leftovers {
  let folder: String
  /// The processes that the test started.
  let known: Set<Int32>

  var processes: [Int32] { Self.processes(with: folder).filter { !known.contains($0) } }

  /// The processes, without this one, whose environment contains a text.
  package nonisolated static func processes(with text: String) -> [Int32] {
    let names = (try? FolderListing(of: "/proc", isSorted: false).names) ?? []
    return names.compactMap { Int32($0) }.filter { pid in
      // The environment of an ended process is empty.
      pid != getpid() && environment(of: pid, contains: text)
    }
  }

  /// Reads the file directly, because each test does so twice for all processes of the machine.
  private nonisolated static func environment(of pid: Int32, contains text: String) -> Bool {
    let file = unsafe open("/proc/\(pid)/environ", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    var bytes: [UInt8] = []
    var count = 0
    repeat {
      bytes += [UInt8](repeating: 0, count: 1 << 16)
      let (start, room) = (count, bytes.count - count - 1)
      count += unsafe bytes.withUnsafeMutableBytes {
        max(0, unsafe read(file, $0.baseAddress! + start, room))
      }
    } while count + 1 == bytes.count
    // Each variable ends with NUL.
    return unsafe bytes.withUnsafeBytes { bytes in
      guard let start = unsafe bytes.assumingMemoryBound(to: CChar.self).baseAddress else {
        return false
      }
      var place = 0
      while place < count {
        if unsafe strstr(start + place, text) != nil { return true }
        place += unsafe strlen(start + place) + 1
      }
      return false
    }
  }

  private func command(of pid: Int32) -> String {
    let contents = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
    return String(decoding: contents, as: UTF8.self).replacing("\0", with: " ")
  }

  /// Ends the processes with SIGTERM. Throws when some must be killed.
  func end() async throws {
    var stubborn: [String] = []
    for pid in processes {
      kill(pid, SIGTERM)
      let ends = Inbox<ProcessEnd>()
      guard let watch = try? ExitWatch(pid: pid, onExit: { ends.put($0) }) else { continue }
      do {
        _ = try await ends.next("the end of process \(pid)", within: .seconds(3))
      } catch {
        stubborn.append("\(pid) \(command(of: pid))")
        kill(pid, SIGKILL)
      }
      watch.cancel()
    }
    guard stubborn.isEmpty else {
      throw TestbedFailure(
        "processes were left over and had to be killed: " + stubborn.joined(separator: ", "))
    }
  }
}
