/// An application of the registry: its declaration and location.
package struct InstalledApplication: Hashable, Sendable {
  package var declaration: ApplicationDeclaration
  /// The absolute path of the property list, or of the desktop entry.
  package var propertyList: String
  /// The folder of the bundle, or the folder of a loose property list.
  package var folder: String
  /// Whether it is in a folder of system applications. A system application may claim reserved schemes, and
  /// allowlists do not apply to its schemes (R2.8, R3.4).
  package var isSystem: Bool
  /// Time of the installation, in nanoseconds since 1970, for `CollisionPolicy` (R2.14).
  package var installedAt: Int64
  /// Identifies this state of the file. A different stamp means a reinstallation or an upgrade (R3.8).
  package var stamp: String
  package var origin: Origin

  /// The kind of file that declares an application.
  package enum Origin: String, Hashable, Sendable {
    case propertyList = "property-list"
    /// A desktop entry, as GIO reads it. The application may also have claims that only `mimeapps.list` gives.
    case desktopEntry = "desktop-entry"
  }

  package init(
    declaration: ApplicationDeclaration, propertyList: String, folder: String,
    isSystem: Bool = false, installedAt: Int64 = 0, stamp: String = "",
    origin: Origin = .propertyList
  ) {
    self.declaration = declaration
    self.propertyList = propertyList
    self.folder = folder
    self.isSystem = isSystem
    self.installedAt = installedAt
    self.stamp = stamp
    self.origin = origin
  }

  package var identifier: BundleIdentifier { declaration.identifier }
}
