internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// Finds the programs of a test: beside the test itself, where the build puts them, or in `PATH`.
enum Programs {
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

  static func find(_ name: String) throws(TestbedFailure) -> String {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let beside = own.split(separator: "/").dropLast().joined(separator: "/")
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    for folder in ["/" + beside] + path.split(separator: ":").map(String.init) {
      let file = folder + "/" + name
      if FileManager.default.isExecutableFile(atPath: file) { return file }
    }
    throw TestbedFailure(
      "the program \(name) is neither beside the tests, in /\(beside), nor in PATH; build it first")
  }
}
