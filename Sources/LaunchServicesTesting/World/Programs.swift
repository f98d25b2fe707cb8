internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// Finds the programs that a test starts.
///
/// The first folder that has the program is used: the folder in the variable `LAUNCH_SERVICES_PROGRAMS`; the
/// folder of this program, where SwiftPM puts what it builds; the folders of `PATH`; the folders
/// `../libexec/launch-services` and `../lib/launch-services` beside all of these; the folder `../../bin` of a program
/// in such a folder.
package struct Programs: Sendable {
  /// The folder that the user named; nil without one.
  let chosen: String?
  /// The folder of the running program.
  let beside: String
  /// The folders of `PATH`.
  let path: [String]

  package init(
    _ variables: [String: String] = ProcessInfo.processInfo.environment,
    beside folder: String? = nil
  ) {
    chosen = variables[Self.variable].flatMap { $0.isEmpty ? nil : $0 }
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    beside = folder ?? "/" + own.split(separator: "/").dropLast().joined(separator: "/")
    path = (variables["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map(String.init)
  }

  /// The variable with the folder of the programs.
  package static let variable = "LAUNCH_SERVICES_PROGRAMS"

  /// The folders, in the order in which they are searched.
  package var folders: [String] {
    let installed = ([beside] + path).flatMap { folder in
      ["libexec", "lib"].map { "\(folder)/../\($0)/launch-services" }
    }
    let isInstalled = beside.hasSuffix("/launch-services")
    return (chosen.map { [$0] } ?? []) + [beside] + path + installed
      + (isInstalled ? ["\(beside)/../../bin"] : [])
  }

  /// The path of a program.
  package func find(_ name: String) throws(TestbedFailure) -> String {
    for folder in folders {
      let file = folder + "/" + name
      if FileManager.default.isExecutableFile(atPath: file) { return file }
    }
    throw TestbedFailure(
      """
      the program \(name) was not found. Searched: \(chosen.map { "\($0) (from \(Self.variable)), " } ?? "")\
      \(beside) (the folder of this program), and PATH. \(Self.advice(name))
      """)
  }

  private static func advice(_ name: String) -> String {
    let products = [
      "launchservicesd", "launchservices-desktop", "launchservices-links",
      "launchservices-processes", "launchservices-simulator", "lsopen", "lsregister", "lstest",
      "scripted-handler",
    ]
    guard products.contains(name) else {
      return "Install \(name), or add its folder to PATH."
    }
    return """
      Add `.product(name: "\(name)", package: "launch-services")` to the dependencies of the test target in \
      Package.swift, so that SwiftPM builds \(name); or set \(variable) to the folder that has it.
      """
  }

  /// The path of a program, for this process.
  package static func find(_ name: String) throws(TestbedFailure) -> String {
    try Programs().find(name)
  }
}

// MARK: - Copies

extension Programs {
  /// The copies beside the folders of the testbeds, by the path of the original. Removed when this process
  /// ends.
  private static let copies = Mutex<[String: String]>([:])

  /// A copy of the program on the file system of the testbeds.
  static func copy(of program: String) throws -> String {
    try copies.withLock { copies in
      if let copy = copies[program] { return copy }
      let copy = FileManager.default.temporaryDirectory
        .appending(path: "launch-services-program-\(getpid())-\(copies.count)").path
      try FileManager.default.copyItem(atPath: program, toPath: copy)
      if copies.isEmpty {
        atexit { Programs.copies.withLock { for copy in $0.values { unsafe unlink(copy) } } }
      }
      copies[program] = copy
      return copy
    }
  }
}
