internal import CGIO

/// The words of an `Exec` key, as GIO splits them.
enum ExecWords {
  /// Empty when GIO cannot split the line.
  static func of(_ line: String) -> [String] {
    var count: Int32 = 0
    var words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    guard unsafe g_shell_parse_argv(line, &count, &words, nil) != 0 else { return [] }
    defer { unsafe g_strfreev(words) }
    return (0..<Int(count)).compactMap { index in
      unsafe words?[index].map { unsafe String(cString: $0) }
    }
  }
}
