internal import CGIO
package import LaunchRules

/// A desktop application, as declared by its desktop entry and read by GIO.
@safe package final class DesktopApplication {
  let raw: OpaquePointer
  /// The identifier of an application without a desktop entry.
  private let bundleIdentifier: String?

  /// Takes ownership of the reference.
  init(adopting raw: OpaquePointer, identifier: String? = nil) {
    unsafe self.raw = unsafe raw
    bundleIdentifier = identifier
  }

  deinit { unsafe g_object_unref(UnsafeMutableRawPointer(raw)) }

  /// The desktop file ID, such as `org.gnome.Maps.desktop`; the bundle identifier of an application without a desktop
  /// entry.
  package var identifier: String {
    if let bundleIdentifier { return bundleIdentifier }
    return unsafe g_app_info_get_id(raw).map { unsafe String(cString: $0) } ?? ""
  }

  /// The path of the entry's file; nil for an entry that was made in memory.
  package var file: String? {
    unsafe g_desktop_app_info_get_filename(raw).map { unsafe String(cString: $0) }
  }

  /// The application with this desktop file ID; nil when GIO finds none that can be started.
  package convenience init?(identifier: String) {
    guard let raw = unsafe g_desktop_app_info_new(identifier) else { return nil }
    unsafe self.init(adopting: raw)
  }

  /// An application without a desktop entry.
  /// - Parameter program: the command line, after which the URL is put. Nil when the program does not exist.
  package convenience init?(identifier: String, program: [String]) {
    guard let first = program.first else { return nil }
    let keys = KeyFile()
    let command = ExecValue.command(first, Array(program.dropFirst()), fieldCode: "%u")
    for (key, value) in [("Type", "Application"), ("Name", identifier), ("Exec", command)] {
      keys.setText(key, in: DesktopEntry.group, to: value)
    }
    guard let raw = unsafe keys.withRaw({ unsafe g_desktop_app_info_new_from_keyfile($0) }) else {
      return nil
    }
    unsafe self.init(adopting: raw, identifier: identifier)
  }

  /// `Name` without translation.
  package var untranslatedName: String? {
    unsafe take(unsafe g_desktop_app_info_get_string(raw, "Name"))
  }

  /// `Icon` in the language of this process: an absolute path, or a name of the icon theme.
  package var icon: String? {
    unsafe take(unsafe g_desktop_app_info_get_locale_string(raw, "Icon"))
  }

  /// Whether the application is a terminal emulator, by its `Categories`.
  package var isTerminal: Bool {
    guard let categories = unsafe g_desktop_app_info_get_categories(raw) else { return false }
    return unsafe String(cString: categories).split(separator: ";").contains("TerminalEmulator")
  }

  /// Whether the program runs in a terminal emulator.
  package var runsInTerminal: Bool {
    unsafe g_desktop_app_info_get_boolean(raw, "Terminal") != 0
  }

  /// Whether the application is installed to run in a sandbox, by the keys that Flatpak and Snap write.
  package var isSandboxed: Bool {
    unsafe g_desktop_app_info_has_key(raw, "X-Flatpak") != 0
      || g_desktop_app_info_has_key(raw, "X-SnapInstanceName") != 0
  }

  /// In the language of this process.
  package var name: String { unsafe String(cString: g_app_info_get_display_name(raw)) }

  /// The bus name by which the application is started, from the name of the entry's file; nil when `DBusActivatable`
  /// is not true or the name of the file is no bus name, for which GIO uses `Exec`.
  package var activationName: String? {
    let suffix = ".desktop"
    guard unsafe g_desktop_app_info_get_boolean(raw, "DBusActivatable") != 0,
      let name = file?.split(separator: "/").last, name.hasSuffix(suffix)
    else { return nil }
    let bus = String(name.dropLast(suffix.count))
    return unsafe g_dbus_is_name(bus) != 0 && !bus.hasPrefix(":") ? bus : nil
  }

  /// Whether `Exec` has a field code for URIs. Without one the program is started without the URI.
  package var execTakesURIs: Bool {
    unsafe g_app_info_get_commandline(raw).map { unsafe ExecValue.takesURL(String(cString: $0)) }
      ?? false
  }

  /// Whether `Exec` has a field code that passes files unchanged, as paths or as URIs.
  package var execTakesFiles: Bool {
    unsafe g_app_info_get_commandline(raw).map { unsafe ExecValue.takesFile(String(cString: $0)) }
      ?? false
  }

  /// The words of `Exec` before the first field code. Empty when a field code is inside of a longer word, as in
  /// `sh -c "app %u"`: then the words do not tell the program.
  package var programWords: [String] {
    let first = words.prefix { !$0.contains("%") }
    return words.dropFirst(first.count).first.map { $0.count == 2 } ?? true ? Array(first) : []
  }

  /// The file name of the program; nil when `Exec` has more words, of which the first may be an interpreter.
  package var executableName: String? {
    let program = StartedProgramRule.withoutVariables(programWords)
    return program.count == 1 ? program[0].split(separator: "/").last.map(String.init) : nil
  }

  /// The words of `Exec` before the URL.
  package var wordsBeforeURL: [String] {
    words.prefix { !["%u", "%U"].contains($0) }.filter { !["%f", "%F"].contains($0) }
  }

  /// Whether one process gets all URIs of an open.
  package var takesSeveral: Bool { words.contains { ["%U", "%F"].contains($0) } }

  /// The command line with which the program would be started to open a URL that is not a file URL. Nil when `Exec`
  /// has no code for a URL, or a code inside a word.
  package func commandLine(opening url: String) -> [String]? {
    var line: [String] = []
    var takesURL = false
    for word in words {
      switch word {
      case "%u", "%U":
        takesURL = true
        line.append(url)
      case "%c": line.append(name)
      case "%i": line += icon.map { ["--icon", $0] } ?? []
      case "%k": line.append(file ?? "")
      case "%f", "%F", "%d", "%D", "%n", "%N", "%v", "%m": break
      case _ where word.contains("%"): return nil
      default: line.append(word)
      }
    }
    return takesURL ? line : nil
  }

  /// The words of `Exec` with their field codes, as GIO splits them; empty when GIO cannot.
  private var words: [String] {
    unsafe g_app_info_get_commandline(raw).map { unsafe ExecWords.of(String(cString: $0)) }
      ?? []
  }

  /// Whether the application accepts URIs, by bus activation or `Exec`.
  package var takesURIs: Bool { activationName != nil || execTakesURIs }

  /// Whether the entry was exported by the bridge, or starts a program of Launch Services: a URI would come
  /// back.
  package var leadsBack: Bool {
    if unsafe g_desktop_app_info_has_key(raw, DesktopBridge.mark) != 0 { return true }
    let program = StartedProgramRule.withoutVariables(words).first?.split(separator: "/").last
    return program.map { DesktopBridge.ownPrograms.contains(String($0)) } ?? false
  }

  /// The schemes of its `MimeType`, each once, in order.
  package var schemes: [URLScheme] {
    var seen: Set<URLScheme> = []
    return types.compactMap(SchemeType.scheme).filter { seen.insert($0).inserted }
  }

  /// The MIME types of files of its `MimeType`.
  package var fileTypes: [String] { types.filter { !$0.hasPrefix(SchemeType.prefix) } }

  /// The types of its `MimeType`.
  package var declaredTypes: [String] { types }

  private var types: [String] {
    guard let types = unsafe g_app_info_get_supported_types(raw) else { return [] }
    var texts: [String] = []
    while let type = unsafe types[texts.count] { texts.append(unsafe String(cString: type)) }
    return texts
  }
}

// MARK: - Finding

extension DesktopApplication {
  /// The applications for the scheme: the user's default, then the others in the order of `mimeapps.list`.
  package static func handlers(of scheme: URLScheme) -> [DesktopApplication] {
    let preferred = unsafe g_app_info_get_default_for_uri_scheme(scheme.text)
      .map { unsafe DesktopApplication(adopting: $0) }
    return unsafe list(
      g_app_info_get_all_for_type(SchemeType.text(of: scheme)), startingWith: preferred)
  }

  /// The list with `preferred` at its start, without a second entry of it.
  static func list(
    _ list: UnsafeMutablePointer<GList>?, startingWith preferred: DesktopApplication?
  ) -> [DesktopApplication] {
    let all = unsafe self.list(list)
    guard let preferred else { return all }
    return [preferred] + all.filter { $0.identifier != preferred.identifier }
  }

  /// - Parameter list: a list of references; takes ownership of the list and of its elements.
  static func list(_ list: UnsafeMutablePointer<GList>?) -> [DesktopApplication] {
    defer { unsafe g_list_free(list) }
    var applications: [DesktopApplication] = []
    var next = unsafe list
    while let element = unsafe next {
      if let data = unsafe element.pointee.data {
        unsafe applications.append(DesktopApplication(adopting: OpaquePointer(data)))
      }
      unsafe next = unsafe element.pointee.next
    }
    return applications
  }
}

/// The types that some desktop entries declare, whatever the user's lists say.
package final class DeclaredTypes {
  private let identifiers: Set<String>
  private lazy var applications: [String: Set<String>] = {
    var applications: [String: Set<String>] = [:]
    for application in identifiers.compactMap(DesktopApplication.init) {
      for type in application.declaredTypes {
        applications[type, default: []].insert(application.identifier)
      }
    }
    return applications
  }()

  /// - Parameter identifiers: the desktop file IDs of entries for which GIO does not wait.
  package init(of identifiers: [String]) { self.identifiers = Set(identifiers) }

  /// Whether GIO finds an application with this desktop file ID.
  package func contains(_ identifier: String) -> Bool {
    identifiers.contains(identifier) && DesktopApplication(identifier: identifier) != nil
  }

  /// The desktop file IDs of the applications whose entry declares the type.
  package func applications(of type: String) -> Set<String> { applications[type] ?? [] }
}
