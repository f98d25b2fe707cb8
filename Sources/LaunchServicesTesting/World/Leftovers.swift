internal import FoundationEssentials
internal import Glibc
internal import Host

/// The processes that nobody here started, but belong to a testbed: their environment names its
/// folder.
@MainActor struct Leftovers {
  let folder: String
  /// Processes that were started here.
  let known: Set<Int32>

  var processes: [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int32($0) }.filter { pid in
      // A process that has ended has no environment any more.
      pid != getpid() && !known.contains(pid) && contents(of: pid, "environ").contains(folder)
    }
  }

  private func contents(of pid: Int32, _ file: String) -> String {
    guard let handle = FileManager.default.contents(atPath: "/proc/\(pid)/\(file)") else {
      return ""
    }
    return String(decoding: handle, as: UTF8.self)
  }

  /// Ends them with SIGTERM. Those that have to be killed are the error.
  func end() async throws {
    var stubborn: [String] = []
    for pid in processes {
      kill(pid, SIGTERM)
      let ends = Inbox<ProcessEnd>()
      guard let watch = try? ExitWatch(pid: pid, onExit: { ends.put($0) }) else { continue }
      do {
        _ = try await ends.next("the end of process \(pid)", within: .seconds(3))
      } catch {
        let command = contents(of: pid, "cmdline").replacing("\0", with: " ")
        stubborn.append("\(pid) \(command)")
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
