package import Host
package import LaunchRules
package import PropertyLists

/// What one property list on disk says, at one moment.
package struct ApplicationReading: Hashable, Sendable {
  /// The absolute path of the property list.
  package var path: String
  /// Nil when it cannot be registered; the diagnostics say why.
  package var application: InstalledApplication?
  package var diagnostics: [Diagnostic]
  /// Nil when the file could not be read.
  package var stamp: FileStamp?
  /// Nil when there is no file of entitlements.
  package var entitlementsStamp: FileStamp?

  /// Reads the file. Never fails: what is wrong becomes a diagnostic.
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
  /// The sentence without the path it begins with, for a diagnostic that names the file itself.
  package var withoutPath: String {
    let prefix = path + ": "
    return description.hasPrefix(prefix) ? String(description.dropFirst(prefix.count)) : description
  }
}
