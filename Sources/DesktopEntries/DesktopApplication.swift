internal import CGIO
package import LaunchRules

/// An application of the freedesktop world, as its desktop entry declares it and GIO reads it.
@safe package final class DesktopApplication {
  let raw: OpaquePointer

  /// Takes over the reference.
  init(adopting raw: OpaquePointer) { unsafe self.raw = unsafe raw }

  deinit { unsafe g_object_unref(UnsafeMutableRawPointer(raw)) }

  /// Its desktop file ID, such as `org.gnome.Maps.desktop`.
  package var identifier: String {
    unsafe g_app_info_get_id(raw).map { unsafe String(cString: $0) } ?? ""
  }

  /// The entry's file; nil for one that was made in memory.
  package var file: String? {
    unsafe g_desktop_app_info_get_filename(raw).map { unsafe String(cString: $0) }
  }

  /// In the language of this process.
  package var name: String { unsafe String(cString: g_app_info_get_display_name(raw)) }

  /// It is started by a call to its bus name.
  package var isDBusActivatable: Bool {
    unsafe g_desktop_app_info_get_boolean(raw, "DBusActivatable") != 0
  }

  /// Its `Exec` has a place for a URI. Without one the program is started and the URI is lost.
  package var execTakesURIs: Bool {
    unsafe g_app_info_get_commandline(raw).map { unsafe ExecValue.takesURL(String(cString: $0)) }
      ?? false
  }

  /// A URI reaches it, one way or the other.
  package var takesURIs: Bool { isDBusActivatable || execTakesURIs }

  /// It was exported by us, or starts a program of ours: a URI given to it would come back.
  package var leadsBack: Bool {
    if unsafe g_desktop_app_info_has_key(raw, DesktopBridge.mark) != 0 { return true }
    guard let program = unsafe g_app_info_get_executable(raw) else { return false }
    let name = unsafe String(cString: program).split(separator: "/").last.map(String.init)
    return name.map(DesktopBridge.ownPrograms.contains) ?? false
  }

  /// The schemes of its `MimeType`, each once, in order.
  package var schemes: [URLScheme] {
    guard let types = unsafe g_app_info_get_supported_types(raw) else { return [] }
    var schemes: [URLScheme] = []
    var index = 0
    while let type = unsafe types[index] {
      index += 1
      if let scheme = SchemeType.scheme(of: unsafe String(cString: type)),
        !schemes.contains(scheme)
      {
        schemes.append(scheme)
      }
    }
    return schemes
  }
}

// MARK: - Finding

extension DesktopApplication {
  /// All that can be started.
  package static var installed: [DesktopApplication] { unsafe list(g_app_info_get_all()) }

  /// Those that handle the scheme: the user's default, then the others in the order of
  /// `mimeapps.list`.
  package static func handlers(of scheme: URLScheme) -> [DesktopApplication] {
    let preferred = unsafe g_app_info_get_default_for_uri_scheme(scheme.text)
      .map { unsafe DesktopApplication(adopting: $0) }
    let all = unsafe list(g_app_info_get_all_for_type(SchemeType.text(of: scheme)))
    guard let preferred else { return all }
    return [preferred] + all.filter { $0.identifier != preferred.identifier }
  }

  /// - Parameter list: belongs to this, with its elements.
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

/// The MIME type that stands for a scheme.
package enum SchemeType {
  package static let prefix = "x-scheme-handler/"

  package static func text(of scheme: URLScheme) -> String { prefix + scheme.text }

  /// Nil for any other type.
  package static func scheme(of type: String) -> URLScheme? {
    type.hasPrefix(prefix) ? URLScheme(String(type.dropFirst(prefix.count))) : nil
  }
}
