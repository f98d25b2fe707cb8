internal import FoundationEssentials

/// The temporary folder of one test, laid out like the folders of a user.
struct TestbedFolders: Sendable {
  /// Contains all files of the test.
  let root: String

  init() throws {
    let name = Self.prefix + UUID().uuidString.prefix(8).lowercased()
    let parent = FileManager.default.temporaryDirectory
    var isFolder = false
    guard FileManager.default.fileExists(atPath: parent.path, isDirectory: &isFolder), isFolder
    else {
      throw TestbedFailure(
        "the folder for temporary files, \(parent.path), does not exist: correct TMPDIR, or make the folder"
      )
    }
    root = parent.appending(path: name).path
    for folder in [
      home, dataHome, dataDir, configHome, stateHome, cacheHome, applications,
    ] + busServices {
      try make(folder)
    }
    try make(runtimeDir, permissions: 0o700)
  }

  var home: String { root + "/home" }
  var dataHome: String { root + "/data" }
  var dataDir: String { root + "/share" }
  var configHome: String { root + "/config" }
  var stateHome: String { root + "/state" }
  var cacheHome: String { root + "/cache" }
  var runtimeDir: String { root + "/run" }
  /// The folder of the user's applications.
  var applications: String { dataHome + "/launch-services/Applications" }
  /// The folder of applications that may claim reserved schemes.
  var systemApplications: String { dataDir + "/" + Self.systemFolder }
  /// The folders of the bus's service files.
  var busServices: [String] { [dataHome, dataDir].map { $0 + "/dbus-1/services" } }
  /// A folder that the daemon does not read.
  var elsewhere: String { root + "/elsewhere" }

  func make(_ folder: String, permissions: Int = 0o755) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true,
      attributes: [.posixPermissions: permissions])
  }

  private static let prefix = "launch-services-"

  /// Whether a path is that of the folder of a test.
  static func isRoot(_ path: String) -> Bool {
    path.hasPrefix("/") && path.split(separator: "/").last?.hasPrefix(prefix) == true
      && !path.split(separator: "/").contains("..")
  }

  func remove() async { await Self.remove(root) }

  /// Runs off the main actor, because some tests leave thousands of files.
  @concurrent static func remove(_ root: String) async {
    try? FileManager.default.removeItem(atPath: root)
  }

  /// The environment of the test's processes.
  ///
  /// Inherits from the test runner only the variables for the paths of programs and libraries, for coverage
  /// and for sanitizers.
  func environment(busAddress: String?) -> [String: String] {
    let own = ProcessInfo.processInfo.environment.filter { name, _ in
      ["PATH", "LD_LIBRARY_PATH", "LLVM_PROFILE_FILE"].contains(name)
        || name.hasSuffix("SAN_OPTIONS")
    }
    var environment = own.merging(
      [
        "HOME": home, "XDG_DATA_HOME": dataHome, "XDG_DATA_DIRS": dataDir,
        "XDG_CONFIG_HOME": configHome, "XDG_CONFIG_DIRS": root + "/xdg",
        "XDG_STATE_HOME": stateHome, "XDG_CACHE_HOME": cacheHome,
        "XDG_RUNTIME_DIR": runtimeDir, "LANG": "C.UTF-8",
      ]
    ) { $1 }
    environment["DBUS_SESSION_BUS_ADDRESS"] = busAddress
    return environment
  }
}
