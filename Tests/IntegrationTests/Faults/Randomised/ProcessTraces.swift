import Foundation

/// What the kernel says about processes that others have started.
enum ProcessTraces {
  /// The processes that any of its threads has as children.
  static func children(of pid: Int32) -> [Int32] {
    let tasks = "/proc/\(pid)/task/"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
    return threads.flatMap { thread in
      let text = try? String(contentsOfFile: tasks + thread + "/children", encoding: .utf8)
      return (text ?? "").split(separator: " ").compactMap { Int32($0) }
    }
  }

  static func residentKilobytes(of pid: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return Int(line.filter(\.isNumber)) ?? 0
  }

  /// It is there, has not ended, and runs a program of this folder.
  static func runs(_ pid: Int32, from folder: String) -> Bool {
    program(of: pid)?.hasPrefix(folder + "/") ?? false
  }

  /// Nil when the process has ended.
  static func program(of pid: Int32) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe")
  }

  /// All that run a program of this folder.
  static func all(from folder: String) -> [Int32] { all.filter { runs($0, from: folder) } }

  /// All that run this program.
  static func all(of program: String) -> [Int32] { all.filter { self.program(of: $0) == program } }

  private static var all: [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int32($0) }
  }

  /// A variable that it was started with.
  static func variable(_ name: String, of pid: Int32) -> String? {
    let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/environ") ?? Data()
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      .first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
  }
}

extension Footprint {
  /// Of the daemon with this number.
  init(of pid: Int32, processes: [Int]) throws {
    self.init(
      descriptors: try OpenDescriptors(of: pid).total,
      kilobytes: try ProcessTraces.residentKilobytes(of: pid),
      children: ProcessTraces.children(of: pid).count, processes: processes)
  }
}
