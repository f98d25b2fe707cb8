internal import Host
package import LaunchRules

/// The folder of the copy that `lsregister add --stub` makes of a property list, with a stand-in as its program.
/// Each application has one.
package struct StandInFolder: Hashable, Sendable {
  package let path: String

  /// - Parameter state: the state folder of Launch Services.
  package init(of identifier: BundleIdentifier, in state: String) {
    path = state + "/stand-ins/" + identifier.text.lowercased()
  }

  package var propertyList: String { path + "/Info.plist" }
  package var entitlements: String { path + "/Info.entitlements" }
  /// A symbolic link to the property list that was copied.
  package var original: String { path + "/original" }

  /// Whether the copy was made of this property list.
  package func isMade(of propertyList: String) -> Bool {
    SymbolicLink.resolved(original).map { $0 == SymbolicLink.resolved(propertyList) } ?? false
  }
}
