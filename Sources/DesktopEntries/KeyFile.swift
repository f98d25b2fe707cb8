internal import CGIO

/// A file of groups with keys and values: a desktop entry or `mimeapps.list`. GLib reads and writes it;
/// comments, translations, unknown groups and the order are kept.
@safe package final class KeyFile {
  private let raw: OpaquePointer

  /// An empty file.
  package init() { unsafe raw = unsafe g_key_file_new() }

  /// - Parameter bytes: the contents of a file.
  package convenience init(_ bytes: [UInt8]) throws(DesktopFailure) {
    self.init()
    let raw = unsafe self.raw
    let flags = GKeyFileFlags(
      rawValue: G_KEY_FILE_KEEP_COMMENTS.rawValue | G_KEY_FILE_KEEP_TRANSLATIONS.rawValue)
    // GLib requires a valid pointer also for an empty file.
    let padded = bytes + [0]
    _ = try unsafe catching { error in
      unsafe padded.withUnsafeBytes { buffer in
        unsafe g_key_file_load_from_data(
          raw, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), gsize(bytes.count), flags,
          error) != 0 ? true : nil
      }
    }
  }

  /// Reads a file.
  package convenience init(path: String) throws(DesktopFailure) {
    self.init()
    let raw = unsafe self.raw
    _ = try unsafe catching { error in
      unsafe g_key_file_load_from_file(raw, path, G_KEY_FILE_KEEP_TRANSLATIONS, error) != 0
        ? true : nil
    }
  }

  deinit { unsafe g_key_file_unref(raw) }

  /// The contents of the file.
  package var bytes: [UInt8] {
    var length: gsize = 0
    guard let text = unsafe g_key_file_to_data(raw, &length, nil) else { return [] }
    defer { unsafe g_free(text) }
    return unsafe Array(
      UnsafeRawBufferPointer(start: UnsafeRawPointer(text), count: Int(length)))
  }
}

// MARK: - Groups and keys

extension KeyFile {
  package var groups: [String] {
    var count: gsize = 0
    guard let list = unsafe g_key_file_get_groups(raw, &count) else { return [] }
    defer { unsafe g_strfreev(list) }
    return (0..<Int(count)).compactMap { index in
      unsafe list[index].map { unsafe String(cString: $0) }
    }
  }

  /// Whether both files have the same groups, keys and values in the same order.
  package func hasSameKeys(as other: KeyFile) -> Bool {
    groups == other.groups
      && groups.allSatisfy { group in
        let keys = keys(of: group)
        return keys == other.keys(of: group)
          && keys.allSatisfy { value($0, in: group) == other.value($0, in: group) }
      }
  }

  /// In the order of the file; empty when the group is missing.
  package func keys(of group: String) -> [String] {
    var count: gsize = 0
    guard let list = unsafe g_key_file_get_keys(raw, group, &count, nil) else { return [] }
    defer { unsafe g_strfreev(list) }
    return (0..<Int(count)).compactMap { index in
      unsafe list[index].map { unsafe String(cString: $0) }
    }
  }

  /// The raw value with its escapes.
  package func value(_ key: String, in group: String) -> String? {
    unsafe take(unsafe g_key_file_get_value(raw, group, key, nil))
  }

  package func setValue(_ key: String, in group: String, to value: String) {
    unsafe g_key_file_set_value(raw, group, key, value)
  }

  package func remove(_ key: String, in group: String) {
    unsafe g_key_file_remove_key(raw, group, key, nil)
  }
}

// MARK: - Texts

extension KeyFile {
  package func text(_ key: String, in group: String) -> String? {
    unsafe take(unsafe g_key_file_get_string(raw, group, key, nil))
  }

  /// Escapes characters that are not allowed in a value.
  package func setText(_ key: String, in group: String, to text: String) {
    unsafe g_key_file_set_string(raw, group, key, text)
  }

  package func setText(_ key: String, for locale: String, in group: String, to text: String) {
    unsafe g_key_file_set_locale_string(raw, group, key, locale, text)
  }

  package func setTruth(_ key: String, in group: String, to truth: Bool) {
    unsafe g_key_file_set_boolean(raw, group, key, truth ? 1 : 0)
  }

  package func setList(_ key: String, in group: String, to texts: [String]) {
    // Elements contain no `;`; each element is followed by one.
    unsafe g_key_file_set_value(raw, group, key, texts.map { $0 + ";" }.joined())
  }

  /// For GIO calls of this module.
  func withRaw<Result, Failure: Error>(
    _ body: (OpaquePointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(raw)
  }
}
