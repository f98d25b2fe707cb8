/// Which application a sandbox was made for, from the `.flatpak-info` at its root.
///
/// Flatpak writes the file, and nothing inside the sandbox can change it. Reading it any further than for
/// one name is left to GLib, which has no place in the daemon. So this takes the strictest reading: of
/// what Flatpak itself writes nothing is refused, and what is odd names nobody.
package enum FlatpakApplication {
  /// In bytes; longer files name nobody. A real one has less than 4 KiB.
  package static let largestFile = 65536

  /// The value of `name` in the group `[Application]`; nil when there is no such group, when the group or
  /// the key is there twice, or when the file is not one that Flatpak writes.
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
