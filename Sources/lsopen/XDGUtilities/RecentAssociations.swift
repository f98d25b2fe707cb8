internal import Commands
internal import Glibc

/// The user's files that associate types with applications. The daemon reads them some hundred milliseconds after each
/// change.
struct RecentAssociations {
  /// Paths of files and folders.
  private let places: [String]

  /// The time after a change within which the daemon may not have read it, in seconds.
  private static let patience = 2.0

  /// - Parameter variable: returns the value of an environment variable.
  init(variable: (String) -> String? = ProcessArguments.environment) {
    func folder(_ name: String, _ standard: String) -> String? {
      if let path = variable(name), path.hasPrefix("/") { return path }
      return variable("HOME").map { "\($0)/\(standard)" }
    }
    let desktops = (variable("XDG_CURRENT_DESKTOP") ?? "").lowercased().split(separator: ":")
    let names = desktops.map { "\($0)-mimeapps.list" } + ["mimeapps.list", "mimeinfo.cache"]
    let folders = [
      folder("XDG_CONFIG_HOME", ".config"),
      folder("XDG_DATA_HOME", ".local/share").map { $0 + "/applications" },
    ].compactMap(\.self)
    // A file that was removed changes its folder only.
    places = folders.flatMap { folder in [folder] + names.map { "\(folder)/\($0)" } }
  }

  /// Whether one of them changed a moment ago.
  func haveChanged() -> Bool {
    var now = timespec()
    guard unsafe clock_gettime(CLOCK_REALTIME, &now) == 0 else { return true }
    return places.contains { place in
      var status = stat()
      guard unsafe stat(place, &status) == 0 else { return false }
      let age = Self.seconds(now) - Self.seconds(status.st_ctim)
      return abs(age) < Self.patience
    }
  }

  private static func seconds(_ time: timespec) -> Double {
    Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
  }
}
