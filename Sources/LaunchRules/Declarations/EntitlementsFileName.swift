/// The names of the files with the entitlements of an application, beside its property list.
package enum EntitlementsFileName {
  /// The file that Xcode puts into a bundle.
  package static let archived = "archived-expanded-entitlements.xcent"
  /// Suffix to the name of the bundle or of the loose property list, as in source trees.
  package static let suffix = ".entitlements"
}
