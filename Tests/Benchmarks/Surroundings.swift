internal import Commands
internal import DBus
internal import FoundationEssentials
internal import Glibc
internal import Host

/// Where and when a table was measured: the lines above it.
@MainActor
enum Surroundings {
  static func lines() -> [String] {
    [
      "| measured | |", "|---|---|",
      row("project", version),
      row("date", Date.now.formatted(.iso8601)),
      row("processor", "\(processor), \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) of them"),
      row("kernel", kernel),
      row("Swift", "\(_SwiftStdlibVersion.current)"),
      row("libdbus", libraryVersion),
      row("dbus-daemon", said(by: "/usr/bin/dbus-daemon", "--version")),
      row("GLib", said(by: "/usr/bin/gio", "--version")),
      "",
    ]
  }

  private static func row(_ name: String, _ value: String) -> String { "| \(name) | \(value) |" }

  private static var processor: String {
    text(of: "/proc/cpuinfo").split(separator: "\n").first { $0.hasPrefix("model name") }
      .flatMap { $0.split(separator: ":").last }.map { $0.trimmed } ?? "unknown"
  }

  private static var kernel: String { text(of: "/proc/sys/kernel/osrelease")[...].trimmed }

  private static func text(of file: String) -> String {
    let bytes = try? RegularFile.read(file, atMost: 1 << 20).bytes
    return String(decoding: bytes ?? [], as: UTF8.self)
  }

  /// The last word of the first line that a program prints.
  private static func said(by program: String, _ argument: String) -> String {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return "unknown" }
    defer { close(ends[0]) }
    let pid = try? spawn(
      Launch(executable: program, arguments: [argument], standardOutput: .descriptor(ends[1])))
    close(ends[1])
    guard let pid else { return "not installed" }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(ends[0], &bytes, bytes.count)
    waitpid(pid, nil, 0)
    let line = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
      .split(separator: "\n").first
    return line?.split(separator: " ").last.map(String.init) ?? "unknown"
  }
}

extension Substring {
  fileprivate var trimmed: String {
    split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
