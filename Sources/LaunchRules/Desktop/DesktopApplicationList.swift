/// The applications of the desktop, as GIO sees them for this user and this desktop.
///
/// A separate program, which uses GIO, makes the list; the daemon adds the applications to the registry.
package struct DesktopApplicationList: Codable, Hashable, Sendable {
  /// The contents of a desktop entry that the registry needs.
  package struct Entry: Codable, Hashable, Sendable {
    /// The desktop file ID.
    package var identifier: String
    /// Absolute path of the entry.
    package var path: String
    /// Without translation.
    package var name: String?
    /// In the language of the user.
    package var displayName: String
    /// An absolute path, or a name of the icon theme.
    package var icon: String?
    /// Whether the application gets the URLs that it is opened with.
    package var takesURLs: Bool
    package var takesFiles: Bool
    /// Whether the application is a terminal emulator.
    package var isTerminal: Bool
    /// Whether the message bus starts the application.
    package var isStartedByBus: Bool
    /// See `ApplicationDeclaration.executableName`.
    package var executableName: String?

    package init(
      identifier: String, path: String, name: String?, displayName: String, icon: String?,
      takesURLs: Bool = true, takesFiles: Bool = true, isTerminal: Bool = false,
      isStartedByBus: Bool = false, executableName: String? = nil
    ) {
      self.identifier = identifier
      self.path = path
      self.name = name
      self.displayName = displayName
      self.icon = icon
      self.takesURLs = takesURLs
      self.takesFiles = takesFiles
      self.isTerminal = isTerminal
      self.isStartedByBus = isStartedByBus
      self.executableName = executableName
    }
  }

  /// Without the entries that lead back to Launch Services.
  package var entries: [Entry]
  /// MIME types of files that the same applications open in the same order.
  package struct Documents: Codable, Hashable, Sendable {
    package var mimeTypes: [String]
    /// The desktop file IDs: the default of the desktop, then the others in its order.
    package var handlers: [String]

    package init(mimeTypes: [String], handlers: [String]) {
      self.mimeTypes = mimeTypes
      self.handlers = handlers
    }
  }

  /// The desktop file IDs for each scheme: the default of the desktop, then the others in its order.
  package var handlers: [String: [String]]
  package var documents: [Documents]
  /// The absolute paths of the programs of `TryExec` and `Exec`. GIO leaves out an entry whose program is missing.
  package var programs: [String] = []
  /// The folders in which GIO looks for programs that are named without a folder.
  package var programFolders: [String] = []

  /// Maximum number of `programs` with absolute paths.
  package static let mostPrograms = 1000

  /// The maximum number of applications for one MIME type. A type with very many would take much memory for
  /// applications that are rarely chosen; the user can choose each by its name.
  package static let mostForType = 8

  package init(
    entries: [Entry] = [], handlers: [String: [String]] = [:], documents: [Documents] = []
  ) {
    self.entries = entries
    self.handlers = handlers
    self.documents = documents
  }

  /// The entries that are not registered, by their desktop file ID, with the entry that is registered in their place: IDs
  /// that differ in case only are one bundle identifier.
  package var twins: [String: String] {
    var places: [String: Int] = [:]
    for identifiers in handlers.values {
      for (place, identifier) in identifiers.enumerated() {
        places[identifier] = min(place, places[identifier] ?? .max)
      }
    }
    var twins: [String: String] = [:]
    for same in Dictionary(grouping: entries, by: { BundleIdentifier($0.identifier) }).values
    where same.count > 1 {
      // The one that the user prefers for a scheme.
      let all = same.map(\.identifier).sorted {
        (places[$0] ?? .max, $0) < (places[$1] ?? .max, $1)
      }
      for other in all.dropFirst() { twins[other] = all[0] }
    }
    return twins
  }

  /// The applications for the registry. Entries that cannot be registered are omitted.
  package var applications: [InstalledApplication] {
    var claims: [String: [Int: [URLScheme]]] = [:]
    for (scheme, identifiers) in handlers.sorted(by: { $0.key < $1.key }) {
      // The desktop opens files by their types, whatever an entry says about the scheme.
      guard let scheme = URLScheme(scheme), DesktopBridge.mayClaim(scheme), scheme != .file else {
        continue
      }
      for (place, identifier) in identifiers.enumerated() {
        claims[identifier, default: [:]][place, default: []].append(scheme)
      }
    }
    var opened: [String: [Int: [TypeTag]]] = [:]
    for group in documents {
      let tags = group.mimeTypes.map(TypeTag.named(mimeType:))
      for (place, identifier) in group.handlers.enumerated() {
        opened[identifier, default: [:]][place, default: []] += tags
      }
    }
    let twins = twins
    return entries.filter { twins[$0.identifier] == nil }.compactMap {
      $0.application(claiming: claims[$0.identifier] ?? [:], opened[$0.identifier] ?? [:])
    }
  }
}

extension DesktopApplicationList.Entry {
  /// - Parameters:
  ///   - claims: the schemes by the place of the application in the desktop's order.
  ///   - opened: the MIME types of files likewise.
  fileprivate func application(
    claiming claims: [Int: [URLScheme]], _ opened: [Int: [TypeTag]]
  ) -> InstalledApplication? {
    guard let bundleIdentifier = BundleIdentifier(identifier), path.hasPrefix("/") else {
      return nil
    }
    let folder = path.split(separator: "/").dropLast().map { "/" + $0 }.joined()
    var declaration = ApplicationDeclaration(
      identifier: bundleIdentifier, name: name, displayName: displayName,
      program: .arguments(DesktopBridge.command(for: identifier)),
      urlTypes: claims.sorted { $0.key < $1.key }.map {
        URLTypeDeclaration(schemes: $0.value, desktopOrder: $0.key)
      },
      // To the user's own programs no allowlist applies.
      platform: .macOS, prohibitsMultipleInstances: true, iconFile: icon,
      // The process of the bridge is no process of the application.
      activationPolicy: .accessory,
      documents: DocumentDeclarations(
        types: opened.sorted { $0.key < $1.key }.map {
          DocumentTypeDeclaration(tags: $0.value, desktopOrder: $0.key)
        }))
    declaration.dropsURLs = !takesURLs
    declaration.dropsDocuments = !takesFiles
    declaration.isTerminal = isTerminal
    declaration.isStartedByBus = isStartedByBus
    declaration.executableName = executableName
    return InstalledApplication(
      declaration: declaration, propertyList: path, folder: folder.isEmpty ? "/" : folder,
      origin: .desktopEntry)
  }
}
