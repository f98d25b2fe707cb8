/// A process that may have written a `mimeapps.list` file.
package struct MimeAppsWriter: Hashable, Sendable {
  /// As the kernel keeps it: at most 15 bytes.
  private let name: String
  private let pid: Int32
  private let hasFileOpen: Bool
  /// How long before the change the process had started.
  private let milliseconds: UInt64

  package init(name: String, pid: Int32, hasFileOpen: Bool, milliseconds: UInt64) {
    (self.name, self.pid) = (name, pid)
    (self.hasFileOpen, self.milliseconds) = (hasFileOpen, milliseconds)
  }

  /// A process that started longer before the change, and does not have the file open, is left out.
  package static let mostSeconds: UInt64 = 5
  /// Maximum number of processes that are named.
  private static let mostNamed = 5

  /// Programs that change default applications for people and for other programs.
  private static let programs: Set<String> = Set(
    [
      "xdg-mime", "xdg-settings", "gio", "kwriteconfig5", "kwriteconfig6", "kcmshell5", "kcmshell6",
      "systemsettings", "systemsettings5", "gnome-control-center", "exo-preferred-applications",
      "xfce4-mime-settings", "lxqt-config-file-associations",
    ].map { String($0.prefix(15)) })

  /// The most likely writers, most likely first, and the number of the others.
  package static func texts(of writers: [Self]) -> [String] {
    let possible = writers.filter { $0.hasFileOpen || $0.milliseconds < mostSeconds * 1000 }
    let sorted = possible.sorted {
      ($0.distance, $0.milliseconds, $0.pid) < ($1.distance, $1.milliseconds, $1.pid)
    }
    let texts = sorted.prefix(mostNamed).map(\.text)
    let others = sorted.count - texts.count
    guard others > 0 else { return texts }
    return texts + [
      "\(others) \(others == 1 ? "other" : "others"), which had started within \(mostSeconds) s before"
    ]
  }

  private var distance: Int { hasFileOpen ? 0 : Self.programs.contains(name) ? 1 : 2 }

  private var text: String {
    hasFileOpen
      ? "\(name) (\(pid)), which has the file open"
      : "\(name) (\(pid)), which had started \(milliseconds) ms before"
  }
}
