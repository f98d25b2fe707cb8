package import Host
package import LaunchRules
package import PropertyLists

/// The contents of one property list on disk at the time of reading.
package struct ApplicationReading: Hashable, Sendable {
  /// The absolute path of the property list.
  package var path: String
  /// Nil when the application cannot be registered; the diagnostics contain the reason.
  package var application: InstalledApplication?
  package var diagnostics: [Diagnostic]
  /// Nil when the file could not be read.
  package var stamp: FileStamp?
  /// Nil without an entitlements file.
  package var entitlementsStamp: FileStamp?
  /// The places of the texts in `CFBundleURLSchemes` that are no schemes.
  package var refusedSchemes: [String] = []
  /// The build variables without a value in the keys that are read, each once.
  package var openVariables: [OpenVariable] = []

  /// Reads the file. Never throws: every problem becomes a diagnostic.
  package init(
    of path: String, variables: BuildVariables = .none, isSystem: Bool = false
  ) {
    self.path = path
    do throws(FileError) {
      let (bytes, stamp) = try RegularFile.read(path, atMost: InfoPropertyList.largestSize)
      let location = BundleLocation(propertyList: path)
      let reading = InfoPropertyList.read(
        bytes, at: location, variables: variables, isSystem: isSystem)
      self.stamp = stamp
      diagnostics = reading.diagnostics
      refusedSchemes = reading.refusedSchemes
      openVariables = reading.openVariables
      application = reading.declaration.map {
        InstalledApplication(
          declaration: $0, propertyList: path, folder: location.folder, isSystem: isSystem,
          installedAt: stamp.changed, stamp: stamp.description)
      }
      readEntitlements(variables)
      reportMissingTeam()
    } catch {
      application = nil
      stamp = nil
      diagnostics = [
        Diagnostic(
          .error, file: path, problem: error.withoutPath,
          consequence: "the application is not registered")
      ]
    }
  }
}

extension FileError {
  /// The error without the path, for a diagnostic that names the file itself.
  package var withoutPath: String {
    let prefix = path + ": "
    return description.hasPrefix(prefix) ? String(description.dropFirst(prefix.count)) : description
  }
}
