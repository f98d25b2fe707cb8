internal import Glibc

/// The program of the daemon, by which a client recognises a daemon that no bus names.
///
/// Any process of the user can lock the state folder and listen at the socket of the daemon. The kernel says which
/// program a process runs, and that must be the `launchservicesd` that the client itself would start. A process of the
/// user that controls this program, for example as its debugger, is not recognised.
package struct DaemonProgram {
  /// The paths where `launchservicesd` may be installed for this process.
  package let places: [String]

  /// - Parameters:
  ///   - environment: the value of a variable; nil when it is missing or empty.
  ///   - own: the absolute path of the program of this process; nil when it is not known.
  package init(
    environment: (String) -> String?, own: String? = DaemonProgram.link("/proc/self/exe")
  ) {
    var folders = environment("LAUNCH_SERVICES_PROGRAMS").map { [$0] } ?? []
    if let own, let end = own.lastIndex(of: "/") {
      // Some programs are in ../libexec/launch-services beside the folder of the daemon.
      folders += ["", "/../bin", "/../../bin"].map { own[..<end] + $0 }
    }
    folders += (environment("PATH") ?? "").split(separator: ":").map(String.init)
    if let home = environment("HOME") { folders.append(home + "/.local/bin") }
    folders += ["/usr/local/bin", "/usr/bin"]
    places = folders.filter { $0.hasPrefix("/") }.map { $0 + "/launchservicesd" }
  }

  /// Whether the process runs this program. False when the kernel does not say so.
  package func isRun(by process: UInt32) -> Bool {
    let path = "/proc/\(process)/exe"
    guard let running = Self.file(path) else { return false }
    if places.contains(where: { Self.file($0)?.isSame(as: running) == true }) { return true }
    // The file was replaced since the start of the process, by an update. Its former path means the same place in this
    // mount namespace only.
    let mark = " (deleted)"
    guard running.names == 0, let text = Self.link(path), text.hasSuffix(mark),
      let own = Self.file("/proc/self/ns/mnt"),
      Self.file("/proc/\(process)/ns/mnt")?.isSame(as: own) == true
    else { return false }
    return places.contains { Self.resolved($0) == String(text.dropLast(mark.count)) }
  }

  /// Why the process is not taken for the daemon, with a remedy.
  /// - Parameter role: what the process does, such as `listens at PATH`.
  package func objection(to process: UInt32, which role: String) -> String {
    let running = Self.link("/proc/\(process)/exe").map { "runs \($0)" } ?? "cannot be examined"
    return
      "process \(process) \(role), and is not launchservicesd: it \(running), so nothing was sent to it; end it, and start"
      + " launchservicesd. If it is a launchservicesd from another folder, set LAUNCH_SERVICES_PROGRAMS to that folder"
  }

  private struct File {
    let device: UInt
    let number: UInt
    let names: UInt

    func isSame(as other: File) -> Bool { device == other.device && number == other.number }
  }

  private static func file(_ path: String) -> File? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    return File(
      device: UInt(status.st_dev), number: UInt(status.st_ino), names: UInt(status.st_nlink))
  }

  /// The path without symbolic links; also for a file that is missing, in a folder that is there.
  private static func resolved(_ path: String) -> String? {
    guard let end = path.lastIndex(of: "/"),
      let folder = unsafe realpath(String(path[..<end]), nil)
    else { return nil }
    defer { unsafe free(folder) }
    return unsafe String(cString: folder) + path[end...]
  }

  /// The target of a symbolic link; nil when it cannot be read.
  package static func link(_ path: String) -> String? {
    let size = Int(PATH_MAX)
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
      guard let address = buffer.baseAddress else { return }
      filled = unsafe max(0, readlink(path, address, size))
    }
    guard !bytes.isEmpty, bytes.count < size else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }
}
