/// A declaration together with where it was found: what the registry holds.
package struct InstalledApplication: Hashable, Sendable {
  package var declaration: ApplicationDeclaration
  /// The absolute path of the property list.
  package var propertyList: String
  /// The bundle's folder, or the folder that holds a loose property list.
  package var folder: String
  /// From a folder of system applications: may claim reserved schemes and is exempt from
  /// allowlists (R2.8, R3.4).
  package var isSystem: Bool
  /// When it was installed, in nanoseconds since 1970, for `CollisionPolicy` (R2.14).
  package var installedAt: Int64
  /// Identifies this state of the file; another stamp means reinstalled or upgraded (R3.8).
  package var stamp: String

  package init(
    declaration: ApplicationDeclaration, propertyList: String, folder: String,
    isSystem: Bool = false, installedAt: Int64 = 0, stamp: String = ""
  ) {
    self.declaration = declaration
    self.propertyList = propertyList
    self.folder = folder
    self.isSystem = isSystem
    self.installedAt = installedAt
    self.stamp = stamp
  }

  package var identifier: BundleIdentifier { declaration.identifier }
}
