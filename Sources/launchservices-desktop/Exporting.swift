internal import ApplicationFolders
internal import BusContract
internal import Commands
internal import DBus
internal import DesktopEntries
internal import Host
internal import LaunchRules
internal import PropertyLists

// In: the freedesktop world learns of the registered applications.

extension DesktopTask {
  /// Makes the entries equal to what is registered, and the claims to what is installed.
  func export() throws(CommandFailure) {
    _ = try exportEntries()
    writeClaims()
  }

  /// - Returns: the entries.
  func exportEntries() throws(CommandFailure) -> [DesktopEntry] {
    let entries = try entries()
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

  /// Makes the index by which GIO and others find the handlers of a scheme.
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

  private func entries() throws(CommandFailure) -> [DesktopEntry] {
    guard let program = lsopen() else {
      throw CommandFailure(
        .failed, "lsopen is neither in PATH nor beside this program; install it first")
    }
    let applications = try call(Contract.listApplications()).first?.asOptionsList ?? []
    return applications.compactMap { Self.entry($0, program: program) }
  }

  /// Nil for an application that claims nothing, and for the bridge itself.
  private static func entry(_ application: Options, program: String) -> DesktopEntry? {
    guard application[Key.desktopBridge]?.asBoolean != true,
      let identifier = application[Key.bundleIdentifier]?.asString.flatMap(BundleIdentifier.init),
      let path = application["path"]?.asString
    else { return nil }
    let schemes = (application["schemes"]?.asStrings ?? []).compactMap(URLScheme.init)
      .filter(DesktopBridge.mayClaim)
    guard !schemes.isEmpty else { return nil }
    return DesktopEntry(
      identifier: identifier, name: application["name"]?.asString ?? identifier.text,
      names: names(of: application, path),
      icon: application[Key.icon]?.asString.flatMap { icon($0, of: path) }, schemes: schemes,
      program: program)
  }

  /// Languages of one application that are read.
  private static let mostLanguages = 200

  private static func names(of application: Options, _ path: String) -> [DesktopLocale: String] {
    var names: [DesktopLocale: String] = [:]
    for (folder, texts) in LocalizedTexts.all(for: path, atMost: mostLanguages) {
      // CFBundleName, in whatever language, only counts without CFBundleDisplayName (R1.11).
      let shortName = application["display-name"] == nil ? texts["CFBundleName"] : nil
      guard let locale = DesktopLocale(folder: folder),
        let name = texts["CFBundleDisplayName"] ?? shortName
      else { continue }
      names[locale] = name
    }
    return names
  }

  /// The file in the bundle; of a loose property list the name in the icon theme.
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
