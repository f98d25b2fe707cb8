import Foundation

/// What the kernel says about processes that others have started.
enum ProcessTraces {
  /// How many processes have it as their parent.
  static func children(of pid: Int32) -> Int {
    let path = "/proc/\(pid)/task/\(pid)/children"
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.split(separator: " ").count
  }

  static func residentKilobytes(of pid: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return Int(line.filter(\.isNumber)) ?? 0
  }

  /// It is there, has not ended, and runs a program of this folder.
  static func runs(_ pid: Int32, from folder: String) -> Bool {
    let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe")
    return program?.hasPrefix(folder + "/") ?? false
  }

  /// All that run a program of this folder.
  static func all(from folder: String) -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int32($0) }.filter { runs($0, from: folder) }
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
      children: ProcessTraces.children(of: pid), processes: processes)
  }
}
