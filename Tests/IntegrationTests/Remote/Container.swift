import Foundation
import LaunchServicesTesting
import Testing

/// A program that runs others in containers with their own process, mount and network namespaces. The programs see the
/// system read-only, no folder for temporary files, and of the testbed only what is mounted.
enum ContainerEngine: String, CaseIterable, Sendable {
  /// With its own user namespace.
  case bubblewrap = "bwrap"
  case podman

  private var program: String { "/usr/bin/" + rawValue }

  /// The reason why no container can be made here; nil if one can.
  static let problems: [ContainerEngine: String] = {
    var problems: [ContainerEngine: String] = [:]
    for engine in allCases { problems[engine] = engine.problem() }
    return problems
  }()

  private func problem() -> String? {
    guard FileManager.default.isExecutableFile(atPath: program) else {
      return "there is no \(rawValue); install \(self == .bubblewrap ? "bubblewrap" : "podman")"
    }
    guard self == .podman else { return nil }
    do {
      let folder = try ContainerFolder()
      let process = Process()
      process.executableURL = URL(filePath: program)
      process.arguments = try podman(
        "/bin/true", [], in: folder.path, binds: [:], readOnly: [], environment: [:])
      let errors = Pipe()
      (process.standardOutput, process.standardError) = (FileHandle.nullDevice, errors)
      try process.run()
      let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return process.terminationStatus == 0
        ? nil
        : "podman makes no container here (\(text.split(separator: "\n").last ?? "")); run Tests/with-systemd-user as"
          + " root"
    } catch {
      return "podman makes no container here: \(error)"
    }
  }

  /// The command line that runs a program in a container.
  /// - Parameters:
  ///   - folder: for the files of the container; made if necessary.
  ///   - binds: paths of this machine, with their places in the container.
  ///   - readOnly: paths of this machine that have the same place there.
  func command(
    _ program: String, _ arguments: [String], in folder: String, binds: [String: String],
    readOnly: [String], environment: [String: String]
  ) throws -> (program: String, arguments: [String]) {
    let options =
      switch self {
      case .bubblewrap:
        try bubblewrap(
          program, arguments, binds: binds, readOnly: readOnly, environment: environment)
      case .podman:
        try podman(
          program, arguments, in: folder, binds: binds, readOnly: readOnly, environment: environment
        )
      }
    return (self.program, options)
  }

  private func bubblewrap(
    _ program: String, _ arguments: [String], binds: [String: String], readOnly: [String],
    environment: [String: String]
  ) throws -> [String] {
    var options = ["--unshare-all", "--die-with-parent", "--proc", "/proc", "--dev", "/dev"]
    for entry in try SystemFolder.all() {
      options +=
        entry.target.map { ["--symlink", $0, entry.path] } ?? ["--ro-bind", entry.path, entry.path]
    }
    options += ["--tmpfs", "/tmp", "--tmpfs", "/run"]
    for path in readOnly { options += ["--ro-bind", path, path] }
    for (source, place) in binds.sorted(by: { $0.key < $1.key }) {
      options += ["--bind", source, place]
    }
    options.append("--clearenv")
    for (name, value) in environment.sorted(by: { $0.key < $1.key }) {
      options += ["--setenv", name, value]
    }
    return options + [program] + arguments
  }

  private func podman(
    _ program: String, _ arguments: [String], in folder: String, binds: [String: String],
    readOnly: [String], environment: [String: String]
  ) throws -> [String] {
    let files = FileManager.default
    let root = folder + "/root"
    if !files.fileExists(atPath: root) {
      for name in ["proc", "dev", "sys", "tmp", "run"] {
        try files.createDirectory(atPath: "\(root)/\(name)", withIntermediateDirectories: true)
      }
      for entry in try SystemFolder.all() {
        if let target = entry.target {
          try files.createSymbolicLink(atPath: root + entry.path, withDestinationPath: target)
        }
      }
    }
    var options = [
      "--root", folder + "/storage", "--runroot", folder + "/state", "--storage-driver", "vfs",
      "--cgroup-manager", "cgroupfs", "--events-backend", "none", "run", "--rm", "--network",
      "none", "--cgroups", "disabled", "--log-driver", "none", "--workdir", "/",
      // The limits of the user may be lower than those that podman wants.
      "--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1000:1000", "--tmpfs", "/tmp", "--tmpfs",
      "/run",
    ]
    let system = try SystemFolder.all().filter { $0.target == nil }.map(\.path)
    for path in system + readOnly { options += ["--volume", "\(path):\(path):ro"] }
    for (source, place) in binds.sorted(by: { $0.key < $1.key }) {
      options += ["--volume", "\(source):\(place)"]
    }
    for (name, value) in environment.sorted(by: { $0.key < $1.key }) {
      options += ["--env", "\(name)=\(value)"]
    }
    return options + ["--rootfs", root, program] + arguments
  }
}

/// A folder with a short path, because podman refuses a path of more than 50 characters. Removed when it is released.
final class ContainerFolder {
  let path: String

  init() throws {
    var template = Array((NSTemporaryDirectory() + "c-XXXXXX").utf8CString)
    guard let made = unsafe mkdtemp(&template) else {
      throw CocoaError(.fileWriteUnknown)
    }
    path = unsafe String(cString: made)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

extension Trait where Self == ConditionTrait {
  static func runs(in engine: ContainerEngine) -> Self {
    let problem = ContainerEngine.problems[engine]
    return .disabled(if: problem != nil, Comment(rawValue: problem ?? ""))
  }
}

/// A folder of the root folder that a container sees, too.
private struct SystemFolder {
  let path: String
  /// The target of a symbolic link; nil for a folder.
  let target: String?

  static func all() throws -> [SystemFolder] {
    let own: Set = ["proc", "dev", "tmp", "run", "sys"]
    return try FileManager.default.contentsOfDirectory(atPath: "/").filter { !own.contains($0) }
      .sorted().map { name in
        let path = "/" + name
        return SystemFolder(
          path: path, target: try? FileManager.default.destinationOfSymbolicLink(atPath: path))
      }
  }
}
