internal import CGIO
internal import LaunchRules

/// Determines types of files with shared-mime-info.
package enum ContentType {
  /// The type of an empty file whose name does not determine a type.
  package static let ofEmptyFile = "application/x-zerosize"

  /// The MIME types of files that shared-mime-info knows.
  package static var known: Set<String> {
    let list = unsafe g_content_types_get_registered()
    defer { unsafe g_list_free_full(list, g_free) }
    var types: Set<String> = []
    var next = unsafe list
    while let element = unsafe next {
      if let text = unsafe element.pointee.data?.assumingMemoryBound(to: CChar.self),
        let type = unsafe mimeType(of: text), !type.hasPrefix(SchemeType.prefix)
      {
        types.insert(type)
      }
      unsafe next = unsafe element.pointee.next
    }
    return types
  }

  /// The MIME type of the file by its name, or by its contents if the name does not determine it; nil when
  /// the file cannot be read.
  /// - Parameter uri: a `file:` URL.
  package static func ofFile(_ uri: String) -> String? {
    let file = unsafe g_file_new_for_uri(uri)
    defer { unsafe g_object_unref(UnsafeMutableRawPointer(file)) }
    guard
      let details = unsafe g_file_query_info(
        file, "standard::content-type,standard::type,standard::size", G_FILE_QUERY_INFO_NONE, nil,
        nil)
    else { return nil }
    defer { unsafe g_object_unref(UnsafeMutableRawPointer(details)) }
    guard let type = unsafe g_file_info_get_content_type(details) else { return nil }
    let byContent = unsafe mimeType(of: type)
    guard unsafe g_file_info_get_file_type(details) == G_FILE_TYPE_REGULAR else { return byContent }
    if let byName = unsafe ofName(file) { return byName }
    return unsafe g_file_info_get_size(details) == 0 ? ofEmptyFile : byContent
  }

  /// Nil when the name determines no type, or more than one.
  private static func ofName(_ file: OpaquePointer?) -> String? {
    guard let name = unsafe g_file_get_basename(file) else { return nil }
    defer { unsafe g_free(name) }
    var isUncertain: gboolean = 0
    guard let guess = unsafe g_content_type_guess(name, nil, 0, &isUncertain) else { return nil }
    defer { unsafe g_free(guess) }
    return isUncertain == 0 ? unsafe mimeType(of: guess) : nil
  }

  private static func mimeType(of type: UnsafePointer<CChar>) -> String? {
    guard let mime = unsafe g_content_type_get_mime_type(type) else { return nil }
    defer { unsafe g_free(mime) }
    return unsafe String(cString: mime)
  }
}

extension DesktopApplication {
  /// The applications for files of a MIME type: the user's default, then the others in the order of
  /// `mimeapps.list`.
  package static func handlers(ofType type: String) -> [DesktopApplication] {
    let preferred = unsafe g_app_info_get_default_for_type(type, 0)
      .map { unsafe DesktopApplication(adopting: $0) }
    return unsafe list(g_app_info_get_all_for_type(type), startingWith: preferred)
  }

  /// The user's default for files of a MIME type, then the applications that declare exactly this type. Reads far
  /// fewer entries than `handlers(ofType:)`, whose other applications declare a more general type.
  package static func mainHandlers(ofType type: String) -> [DesktopApplication] {
    guard
      let preferred = unsafe g_app_info_get_default_for_type(type, 0)
        .map({ unsafe DesktopApplication(adopting: $0) })
    else { return [] }
    return unsafe list(g_app_info_get_recommended_for_type(type), startingWith: preferred)
  }

  /// Whether the application accepts files, by bus activation or `Exec`.
  package var takesFiles: Bool { activationName != nil || execTakesFiles }
}
