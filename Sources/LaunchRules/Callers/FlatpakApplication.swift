/// Reads the application of a sandbox from the file `.flatpak-info` in its root folder.
///
/// Flatpak writes the file, and processes in its sandboxes cannot change it. But every process can make a sandbox of its own
/// with such a file, so the file counts only where systemd says the same: Flatpak puts each sandbox into a unit. The daemon does not link GLib, so
/// this parser replaces GLib's key file parser. The parser is strict: it accepts all files that Flatpak
/// writes, and returns no name for unusual files.
package enum FlatpakApplication {
  /// Maximum size in bytes. Files of Flatpak have less than 4 KiB.
  package static let largestFile = 65536

  /// The application that both the file and the unit of the process name; nil without one.
  /// - Parameter unit: of systemd; nil when the process is in none.
  package static func identifier(in file: [UInt8], unit: String?) -> BundleIdentifier? {
    guard let unit, let identifier = name(in: file).flatMap(BundleIdentifier.init) else {
      return nil
    }
    return ApplicationUnit.launcher(in: unit) == launcher
      && ApplicationUnit.identifier(in: unit) == identifier ? identifier : nil
  }

  /// As the names of Flatpak's units say.
  private static let launcher = "flatpak"

  /// The value of `name` in the group `[Application]`; nil without the group, for a duplicate group or key,
  /// and for files that Flatpak would not write.
  package static func name(in file: [UInt8]) -> String? {
    guard file.count <= largestFile, let text = String(validating: file, as: UTF8.self) else {
      return nil
    }
    var group: Substring?
    var groups: Set<Substring> = []
    var name: Substring?
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      if line.hasPrefix("[") {
        guard line.hasSuffix("]"), groups.insert(line).inserted else { return nil }
        group = line
      } else {
        guard let equals = line.firstIndex(of: "="), group != nil else { return nil }
        guard group == "[Application]", line[..<equals] == "name" else { continue }
        guard name == nil else { return nil }
        name = line[line.index(after: equals)...]
      }
    }
    return name.map(String.init)
  }
}
