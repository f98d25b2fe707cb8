internal import Glibc

extension Launch {
  /// Rejects values that C would truncate or the new process would misread.
  package func check() throws(SpawnError) {
    var paths = [executable]
    if let workingDirectory { paths.append(workingDirectory) }
    for case .file(let path) in [standardInput, standardOutput, standardError] {
      paths.append(path)
    }
    for path in paths {
      guard path.utf8.first == UInt8(ascii: "/") else { throw .notAbsolute(path: path) }
      guard !path.utf8.contains(0) else {
        throw unusable("the path \(path.prefix { $0 != "\0" }) contains a zero byte")
      }
    }
    for (index, argument) in arguments.enumerated() where argument.utf8.contains(0) {
      throw unusable("argument \(index + 1) contains a zero byte")
    }
    for (name, value) in environment {
      guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "=")), !name.utf8.contains(0) else {
        throw unusable("the name of a variable is empty or contains an equals sign or a zero byte")
      }
      guard !value.utf8.contains(0) else {
        throw unusable("the variable \(name) contains a zero byte")
      }
    }
  }

  /// Rejects an executable that this process may not run, so that the error is known before systemd starts it.
  package func checkExecutable() throws(SpawnError) {
    do throws(Errno) {
      try PromptFile.with(executable) { number throws(Errno) in
        guard unsafe faccessat(number, "", X_OK, emptyPath) == 0 else { throw .last }
      }
    } catch  where error == .timedOut {
      // The start shows whether Linux can run the program.
    } catch {
      throw .cannotRun(executable: executable, error)
    }
  }

  private func unusable(_ problem: String) -> SpawnError {
    .unusable(executable: String(executable.prefix { $0 != "\0" }), problem: problem)
  }
}

/// `AT_EMPTY_PATH` of <fcntl.h>, which Swift does not import.
private let emptyPath: Int32 = 0x1000
