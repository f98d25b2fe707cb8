package import LaunchRules

extension DesktopApplicationList {
  /// Maximum number of schemes of all applications: GIO needs time for each.
  package static let mostSchemes = 2000

  /// Lists the applications that GIO finds.
  /// - Parameters:
  ///   - identifiers: the desktop file IDs of the entries.
  ///   - lists: the contents of the `mimeapps.list` files, which may name schemes that no entry has.
  ///   - caches: the contents of the `mimeinfo.cache` files. GIO looks the types up there, also those that only an entry has
  ///     whose `TryExec` is missing: it then starts the entry with the same identifier in the next folder.
  package init(of identifiers: [String], lists: [[UInt8]], caches: [[UInt8]]) {
    let installed = identifiers.compactMap(DesktopApplication.init)
    // The user's own choices first.
    var schemes: Set<URLScheme> = []
    for list in lists { schemes.formUnion((try? MimeAppsList(list))?.schemes ?? []) }
    for application in installed {
      guard schemes.count < Self.mostSchemes else { break }
      schemes.formUnion(application.schemes.prefix(Self.mostSchemes - schemes.count))
    }
    let cached = caches.flatMap { bytes in
      (try? KeyFile(bytes))?.keys(of: "MIME Cache").prefix(Self.mostSchemes) ?? []
    }
    let more = cached.compactMap(SchemeType.scheme).filter { !schemes.contains($0) }
    schemes.formUnion(more.prefix(max(0, Self.mostSchemes - schemes.count)))
    var found: [String: DesktopApplication] = [:]
    for application in installed { found[application.identifier] = application }
    var handlers: [String: [String]] = [:]
    for scheme in schemes where DesktopBridge.mayClaim(scheme) {
      let applications = DesktopApplication.handlers(of: scheme).filter { !$0.leadsBack }
      for application in applications { found[application.identifier] = application }
      if !applications.isEmpty { handlers[scheme.text] = applications.map(\.identifier) }
    }
    var groups: [[String]: [String]] = [:]
    // GIO compares types with their case, and no file has a type that only an entry writes in upper case.
    let written =
      installed.flatMap(\.fileTypes) + cached.filter { !$0.hasPrefix(SchemeType.prefix) }
    let types = ContentType.known.union(written.filter { $0 == $0.lowercased() })
    for type in types.sorted() {
      var applications = DesktopApplication.mainHandlers(ofType: type)
      if applications.isEmpty, type == ContentType.ofEmptyFile {
        // The user probably wants to edit the empty file.
        applications = DesktopApplication.mainHandlers(ofType: "text/plain")
      }
      applications = Array(applications.filter { !$0.leadsBack }.prefix(Self.mostForType))
      for application in applications { found[application.identifier] = application }
      if !applications.isEmpty { groups[applications.map(\.identifier), default: []].append(type) }
    }
    let documents = groups.map { Documents(mimeTypes: $0.value, handlers: $0.key) }
      .sorted { $0.mimeTypes[0] < $1.mimeTypes[0] }
    let entries = found.sorted { $0.key < $1.key }.compactMap { identifier, application in
      application.leadsBack ? nil : application.entry(identifier)
    }
    self.init(entries: entries, handlers: handlers, documents: documents)
  }
}

extension DesktopApplication {
  fileprivate func entry(_ identifier: String) -> DesktopApplicationList.Entry? {
    guard let file, !identifier.isEmpty else { return nil }
    return DesktopApplicationList.Entry(
      identifier: identifier, path: file, name: untranslatedName, displayName: name, icon: icon,
      takesURLs: takesURIs, takesFiles: takesFiles, isTerminal: isTerminal,
      isStartedByBus: activationName != nil, executableName: executableName)
  }
}

extension DesktopApplicationList {
  /// Adds the programs that decide whether GIO sees the entries.
  /// - Parameters:
  ///   - files: the paths of the entries, also of those that GIO leaves out.
  ///   - search: the folders of `PATH`.
  package mutating func addPrograms(of files: [String], search: [String]) {
    var paths: Set<String> = []
    for file in files {
      guard paths.count < Self.mostPrograms, let keys = try? KeyFile(path: file) else { continue }
      for key in ["TryExec", "Exec"] {
        guard let text = keys.text(key, in: DesktopEntry.group) else { continue }
        let program = key == "Exec" ? ExecWords.of(text).first : text
        if let program, program.hasPrefix("/") {
          paths.insert(program)
        } else {
          programFolders = search
        }
      }
    }
    programs = paths.sorted()
  }
}
