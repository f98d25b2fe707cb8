internal import CGIO

/// The default profiles of a Mozilla application, as its own files list them.
package struct MozillaProfiles {
  /// The path of the folder of a profile.
  package struct Profile: Hashable {
    package let path: String

    /// In Base64, as the application writes the path in its bus name.
    package var base64: String {
      unsafe Array(path.utf8).withUnsafeBufferPointer { bytes in
        unsafe take(unsafe g_base64_encode(bytes.baseAddress, gsize(bytes.count))) ?? ""
      }
    }
  }

  /// The default of each installation, then the default profile; each once.
  package let defaults: [Profile]

  /// - Parameter root: the path of the folder with `profiles.ini`.
  package init(folder root: String) {
    var found: [String] = []
    for name in ["installs.ini", "profiles.ini"] {
      guard let keys = try? KeyFile(path: root + "/" + name) else { continue }
      for group in keys.groups {
        // In `Install…` groups, `Default` is a path; in `Profile…` groups, 1 for the default.
        let value = keys.value("Default", in: group)
        let isProfile = group.hasPrefix("Profile")
        guard let path = isProfile ? keys.value("Path", in: group) : value,
          !isProfile || value == "1"
        else { continue }
        found.append(path.hasPrefix("/") ? path : root + "/" + path)
      }
    }
    var seen: Set<String> = []
    defaults = found.filter { seen.insert($0).inserted }.map(Profile.init)
  }
}
