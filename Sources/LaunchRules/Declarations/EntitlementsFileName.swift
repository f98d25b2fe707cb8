/// What the files are called that hold the entitlements of an application, beside its property list.
package enum EntitlementsFileName {
  /// What Xcode puts into a bundle.
  package static let archived = "archived-expanded-entitlements.xcent"
  /// Follows the name of the bundle or of the loose property list, as in a source tree.
  package static let suffix = ".entitlements"
}
