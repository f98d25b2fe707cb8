internal import Commands
internal import Glibc

/// The next program of the same name in `PATH`, which performs what this program does not.
enum NextProgram {
  /// Counts how often the ancestors of a process passed a command line on, so that two programs never do so without
  /// end. More than one is usual: xdg-settings calls xdg-mime, and an application that was started by xdg-open may call
  /// xdg-open.
  private static let counter = "LAUNCH_SERVICES_PASSED_ON"
  private static let mostPasses = 10

  /// The path of the first executable file of this name that is another file than this program; nil without one.
  /// - Parameter path: the folders, separated by colons.
  static func find(_ name: String, in path: String, besides own: String) -> String? {
    guard let this = FileIdentity(own) else { return nil }
    for folder in path.split(separator: ":") where folder.hasPrefix("/") {
      let candidate = "\(folder)/\(name)"
      guard let other = FileIdentity(candidate), other != this,
        unsafe access(candidate, X_OK) == 0
      else { continue }
      return candidate
    }
    return nil
  }

  /// Replaces this process by the next program of this name. Returns only when there is none.
  static func become(_ name: String) {
    let passes = ProcessArguments.environment(counter).map { Int($0) ?? mostPasses } ?? 0
    guard passes < mostPasses, let path = ProcessArguments.environment("PATH"),
      let program = find(name, in: path, besides: "/proc/self/exe")
    else { return }
    unsafe setenv(counter, String(passes + 1), 1)
    // The unchanged arguments, which need not be UTF-8.
    _ = unsafe execv(program, CommandLine.unsafeArgv)
  }

  /// Shows a manual page in place of this process. Returns only on failure.
  static func becomeManual(_ page: String) {
    guard let path = ProcessArguments.environment("PATH"),
      let program = find("man", in: path, besides: "/proc/self/exe")
    else { return }
    unsafe [program, page].withUnsafeCStrings { _ = unsafe execv(program, $0) }
  }

  private struct FileIdentity: Equatable {
    let device: dev_t
    let number: ino_t

    init?(_ path: String) {
      var status = stat()
      guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
      (device, number) = (status.st_dev, status.st_ino)
    }
  }
}

extension [String] {
  /// The strings as an argument vector that ends with a null pointer.
  fileprivate func withUnsafeCStrings(
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Void
  ) {
    var pointers = unsafe map { unsafe strdup($0) } + [nil]
    defer {
      for index in unsafe pointers.indices { unsafe free(pointers[index]) }
    }
    unsafe pointers.withUnsafeMutableBufferPointer { buffer in
      if let start = buffer.baseAddress { unsafe body(start) }
    }
  }
}
