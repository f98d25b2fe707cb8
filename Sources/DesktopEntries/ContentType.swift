internal import CGIO

/// What shared-mime-info says about files.
package enum ContentType {
  /// The MIME type of the file, by its name and what is in it; nil when there is no such file.
  /// - Parameter uri: a `file:` URL.
  package static func ofFile(_ uri: String) -> String? {
    let file = unsafe g_file_new_for_uri(uri)
    defer { unsafe g_object_unref(UnsafeMutableRawPointer(file)) }
    guard
      let details = unsafe g_file_query_info(
        file, "standard::content-type", G_FILE_QUERY_INFO_NONE, nil, nil)
    else { return nil }
    defer { unsafe g_object_unref(UnsafeMutableRawPointer(details)) }
    guard let type = unsafe g_file_info_get_content_type(details),
      let mime = unsafe g_content_type_get_mime_type(type)
    else { return nil }
    defer { unsafe g_free(mime) }
    return unsafe String(cString: mime)
  }
}

extension DesktopApplication {
  /// Those that open files of a MIME type: the user's default, then the others in the order of
  /// `mimeapps.list`.
  package static func handlers(ofType type: String) -> [DesktopApplication] {
    let preferred = unsafe g_app_info_get_default_for_type(type, 0)
      .map { unsafe DesktopApplication(adopting: $0) }
    let all = unsafe list(g_app_info_get_all_for_type(type))
    guard let preferred else { return all }
    return [preferred] + all.filter { $0.identifier != preferred.identifier }
  }

  /// A file reaches it, one way or the other.
  package var takesFiles: Bool {
    let supportsFiles = unsafe g_app_info_supports_files(raw) != 0
    return supportsFiles || takesURIs
  }
}
