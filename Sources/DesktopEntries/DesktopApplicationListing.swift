package import LaunchRules

extension DesktopApplicationList {
  /// Lists the applications that GIO finds.
  /// - Parameter lists: the contents of the `mimeapps.list` files, which may name schemes that no entry has.
  package init(lists: [[UInt8]]) {
    let installed = DesktopApplication.installed
    var schemes = Set(installed.flatMap(\.schemes))
    for list in lists { schemes.formUnion((try? MimeAppsList(list))?.schemes ?? []) }
    var found: [String: DesktopApplication] = [:]
    for application in installed { found[application.identifier] = application }
    var handlers: [String: [String]] = [:]
    for scheme in schemes where DesktopBridge.mayClaim(scheme) {
      let applications = DesktopApplication.handlers(of: scheme).filter { !$0.leadsBack }
      for application in applications { found[application.identifier] = application }
      if !applications.isEmpty { handlers[scheme.text] = applications.map(\.identifier) }
    }
    var groups: [[String]: [String]] = [:]
    for type in ContentType.known.union(installed.flatMap(\.fileTypes)).sorted() {
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
      identifier: identifier, path: file, name: untranslatedName, displayName: name, icon: icon)
  }
}
