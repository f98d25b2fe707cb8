internal import FoundationEssentials
internal import Glibc

/// Where the programs of a test are: beside the test itself, where the build puts them, or in
/// `PATH`.
enum Programs {
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
