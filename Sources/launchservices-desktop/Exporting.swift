internal import ApplicationFolders
internal import BusContract
internal import Commands
internal import DBus
internal import DesktopEntries
internal import Host
internal import LaunchRules
internal import PropertyLists

// Exports the registered applications to desktops.

extension DesktopTask {
  /// Updates the entries of registered applications.
  func export() throws(CommandFailure) {
    _ = try exportEntries()
    remove(formerClaimsFile)
  }

  /// - Parameter asked: schemes for which an exported entry is to become the default, besides those for which
  ///   it is the default; nil for all.
  /// - Returns: the entries.
  func exportEntries(asked: [URLScheme]? = []) throws(CommandFailure) -> [DesktopEntry] {
    let entries = try entries(asked: asked)
    var hasChanged = false
    for entry in entries {
      do throws(FileError) {
        if try replace("\(entriesFolder)/\(entry.fileName)", with: entry.bytes) {
          hasChanged = true
        }
      } catch {
        complain("\(entry.identifier) is not exported: \(error)")
      }
    }
    let wanted = Set(entries.map(\.fileName))
    for file in exportedFiles() where !wanted.contains(file) {
      remove("\(entriesFolder)/\(file)")
      hasChanged = true
    }
    if hasChanged { updateDatabase() }
    return entries
  }

  func remove(_ path: String) {
    do throws(FileError) {
      try AtomicFile.remove(path)
    } catch {
      complain("\(error)")
    }
  }

  /// Updates the index in which GIO and others look up the handlers of a scheme.
  func updateDatabase() {
    guard let tool = path(of: "update-desktop-database") else {
      return output.complain(
        "update-desktop-database is missing, so that desktops may find our handlers only where they "
          + "are the default; install the package desktop-file-utils")
    }
    let environment = ["PATH": ProcessArguments.environment("PATH") ?? "/usr/bin:/bin"]
    let launch = Launch(
      executable: tool, arguments: ["-q", entriesFolder], environment: environment,
      standardOutput: .nothing, standardError: .nothing)
    _ = try? runToEnd(launch, atMost: 20_000)
  }

  /// Reads the registered applications; writes nothing.
  func entries(asked: [URLScheme]?) throws(CommandFailure) -> [DesktopEntry] {
    guard let program = lsopen() else {
      throw CommandFailure(
        .failed, "lsopen is neither in PATH nor beside this program; install it first")
    }
    let applications = try ApplicationQuery.all { message throws(CommandFailure) in
      try call(message)
    }
    let chosen = Set((try? MimeAppsList(read(mimeAppsFile)))?.ours ?? [])
    return applications.compactMap { application in
      entry(application, program: program) { scheme in
        asked?.contains(scheme) ?? true || chosen.contains(scheme)
      }
    }
  }

  /// Nil for an application without a scheme to export.
  private func entry(
    _ application: Options, program: String, isAsked: (URLScheme) -> Bool
  ) -> DesktopEntry? {
    guard
      let identifier = application[Key.bundleIdentifier]?.asString.flatMap(BundleIdentifier.init),
      let path = application["path"]?.asString,
      application[Key.origin]?.asString != InstalledApplication.Origin.desktopEntry.rawValue
    else { return nil }
    let isSystem =
      application[Key.desktopBridge]?.asBoolean == true && application[Key.handOver] == nil
    let claimed = (application["schemes"]?.asStrings ?? []).compactMap(URLScheme.init)
      .filter(DesktopBridge.mayClaim)
    let schemes = claimed.filter { scheme in
      // The user's entries take precedence over others, so a scheme of another desktop application is
      // exported only on request; and only if URLs of the scheme reach this application.
      (isAsked(scheme) || (!isSystem && isFree(scheme))) && leads(scheme, to: identifier)
    }
    guard !schemes.isEmpty else { return nil }
    return DesktopEntry(
      identifier: identifier, name: application["name"]?.asString ?? identifier.text,
      names: Self.names(of: application, path),
      icon: application[Key.icon]?.asString.flatMap { Self.icon($0, of: path) }, schemes: schemes,
      program: program)
  }

  /// Whether no desktop application outside of Launch Services handles the scheme.
  private func isFree(_ scheme: URLScheme) -> Bool {
    DesktopApplication.handlers(of: scheme).allSatisfy(\.leadsBack)
  }

  /// Whether the application is the default handler of the scheme.
  private func leads(_ scheme: URLScheme, to identifier: BundleIdentifier) -> Bool {
    guard let handler = try? firstHandler(of: scheme) else { return false }
    return BundleIdentifier(handler) == identifier
  }

  /// The registered application that comes first for the scheme; a system application also where another application
  /// of the desktop opens the URLs in its place. Empty without one.
  func firstHandler(of scheme: URLScheme) throws(CommandFailure) -> String {
    let query = ApplicationQuery.url("\(scheme.text):")
    let applications = try call(Contract.findApplications(query)).first?.asOptionsList
    return applications?.first?[Key.bundleIdentifier]?.asString ?? ""
  }

  /// Maximum number of languages of one application.
  private static let mostLanguages = 200

  private static func names(of application: Options, _ path: String) -> [DesktopLocale: String] {
    var names: [DesktopLocale: String] = [:]
    for (folder, texts) in LocalizedTexts.all(for: path, atMost: mostLanguages) {
      // CFBundleName, in any language, counts only without CFBundleDisplayName (R1.11).
      let shortName = application["display-name"] == nil ? texts["CFBundleName"] : nil
      guard let locale = DesktopLocale(folder: folder),
        let name = texts["CFBundleDisplayName"] ?? shortName
      else { continue }
      names[locale] = name
    }
    return names
  }

  /// The path of the file in the bundle; for a loose property list the name in the icon theme.
  private static func icon(_ name: String, of propertyList: String) -> String? {
    guard let folder = BundleLocation(propertyList: propertyList).localizationsFolder else {
      return name.contains("/") ? nil : name
    }
    let kinds = [".png", ".svg", ".xpm"]
    let names =
      kinds.contains(where: name.hasSuffix)
      ? [name] : kinds.map { name + $0 } + ["\(name)@2x.png"]
    return names.map { "\(folder)/\($0)" }.first { FileIdentity(path: $0) != nil }
  }
}
