internal import FoundationEssentials

/// The temporary folder of one test, laid out like the folders of a user.
struct TestbedFolders: Sendable {
  /// Nothing of the test lies outside.
  let root: String

  init() throws {
    let name = "launch-services-" + UUID().uuidString.prefix(8).lowercased()
    root = FileManager.default.temporaryDirectory.appending(path: name).path
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
  /// Where the user's applications are looked for.
  var applications: String { dataHome + "/launch-services/Applications" }
  /// Where applications that may claim reserved schemes are looked for.
  var systemApplications: String { dataDir + "/launch-services/System" }
  /// Where the bus looks for service files.
  var busServices: [String] { [dataHome, dataDir].map { $0 + "/dbus-1/services" } }
  /// Where nobody looks.
  var elsewhere: String { root + "/elsewhere" }

  func make(_ folder: String, permissions: Int = 0o755) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true,
      attributes: [.posixPermissions: permissions])
  }

  /// Away from the main actor: some tests leave thousands of files.
  @concurrent func remove() async { try? FileManager.default.removeItem(atPath: root) }

  /// All variables of the processes of the test.
  ///
  /// Of the test runner's own only what says where programs and libraries are, and what measures
  /// coverage or looks for mistakes.
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
