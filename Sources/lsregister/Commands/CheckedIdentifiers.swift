internal import LaunchRules

/// The identifiers of the property lists of one run of `lint --registry`. The registry knows none of them yet.
struct CheckedIdentifiers {
  private var files: [BundleIdentifier: String] = [:]

  /// - Returns: a diagnostic if a property list before has the identifier of this application.
  mutating func twice(_ application: InstalledApplication?) -> [Diagnostic] {
    guard let application else { return [] }
    let (identifier, file) = (application.identifier, application.propertyList)
    guard let first = files[identifier] else {
      files[identifier] = file
      return []
    }
    guard first != file else { return [] }
    return [
      Diagnostic(
        .warning, file: file, keyPath: "CFBundleIdentifier",
        problem:
          "\(first), which is checked in the same run, has the identifier \(identifier), too",
        consequence: "only one of the two is in use when both are registered (R1.10)")
    ]
  }
}
