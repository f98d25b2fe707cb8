internal import Commands
internal import Glibc
internal import Host

/// What a process holds, as `/proc` says.
struct DaemonFigures: Codable {
  /// In MiB.
  var memory: Double
  /// The most since `forgetPeak`, in MiB.
  var peak: Double
  var descriptors: Int
  /// Seconds that it has used the processor so far.
  var processorTime: Double

  init(of process: Int32) throws(CommandFailure) {
    let status = try Self.text("/proc/\(process)/status")
    func mebibytes(_ key: String) -> Double {
      let line = status.split(separator: "\n").first { $0.hasPrefix(key) }
      let number = line?.split(whereSeparator: { " \t".contains($0) }).dropFirst().first
      return Double(number.flatMap { Int($0) } ?? 0) / 1024
    }
    memory = mebibytes("VmRSS:")
    peak = mebibytes("VmHWM:")
    descriptors = Self.descriptors(of: process)
    // After the name, which may hold anything.
    let fields = try Self.text("/proc/\(process)/stat").split(separator: ")").last?
      .split(separator: " ")
    let ticks = fields.map { $0.dropFirst(11).prefix(2).compactMap { Int($0) }.reduce(0, +) } ?? 0
    processorTime = Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  static func descriptors(of process: Int32) -> Int {
    guard let listing = unsafe opendir("/proc/\(process)/fd") else { return 0 }
    defer { unsafe closedir(listing) }
    var count = -2  // "." and ".."
    while unsafe readdir(listing) != nil { count += 1 }
    return count
  }

  /// The peak begins anew.
  static func forgetPeak(of process: Int32) {
    let file = unsafe open("/proc/\(process)/clear_refs", O_WRONLY)
    guard file >= 0 else { return }
    _ = unsafe write(file, "5", 1)
    close(file)
  }

  private static func text(_ path: String) throws(CommandFailure) -> String {
    guard let bytes = try? RegularFile.read(path, atMost: 65536).bytes else {
      throw CommandFailure(.failed, "\(path) cannot be read: the daemon has ended")
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
