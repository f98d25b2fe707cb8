/// The parameters of a new process.
package struct Launch: Hashable, Sendable {
  /// The target of a standard stream.
  package enum Stream: Hashable, Sendable {
    /// /dev/null.
    case nothing
    /// The stream of this process.
    case inherited
    /// The file at an absolute path, opened for appending; created with mode 0600 if missing.
    case file(String)
    /// A descriptor of this process, which remains open.
    case descriptor(Int32)
  }

  /// An absolute path.
  package var executable: String
  /// Without the program's name.
  package var arguments: [String]
  /// All environment variables of the new process; none is inherited.
  package var environment: [String: String]
  /// An absolute path; nil for this process's working directory.
  package var workingDirectory: String?
  package var standardInput: Stream
  package var standardOutput: Stream
  package var standardError: Stream
  /// Whether the process stays in this session instead of leading a new one.
  package var staysInSession = false

  package init(
    executable: String, arguments: [String] = [], environment: [String: String] = [:],
    workingDirectory: String? = nil, standardInput: Stream = .nothing,
    standardOutput: Stream = .inherited, standardError: Stream = .inherited
  ) {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
    self.workingDirectory = workingDirectory
    self.standardInput = standardInput
    self.standardOutput = standardOutput
    self.standardError = standardError
  }
}

/// Why a process could not be started.
package enum SpawnError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Linux refuses to run the executable.
  case cannotRun(executable: String, Errno)
  /// A standard stream or the working directory cannot be opened.
  case cannotOpen(path: String, Errno)
  /// The process was started and killed again, because its end could not be watched.
  case cannotWatch(executable: String, Errno)
  /// A path of the launch does not begin with `/`.
  case notAbsolute(path: String)
  /// An invalid argument or variable, with a description of the problem.
  case unusable(executable: String, problem: String)

  /// The path the error is about.
  package var path: String {
    switch self {
    case .cannotRun(let path, _), .cannotOpen(let path, _), .cannotWatch(let path, _),
      .notAbsolute(let path), .unusable(let path, _):
      path
    }
  }

  /// The error number, if a system call failed.
  package var errno: Errno? {
    switch self {
    case .cannotRun(_, let errno), .cannotOpen(_, let errno), .cannotWatch(_, let errno): errno
    case .notAbsolute, .unusable: nil
    }
  }

  /// A sentence without its full stop that begins with the path.
  package var description: String {
    switch self {
    case .cannotRun(let path, .noSuchFile):
      "\(path): cannot run it: there is no such file, or it is a script whose first line names a "
        + "program that is missing"
    case .cannotRun(let path, let errno): "\(path): cannot run it: \(errno.ofStart)"
    case .cannotOpen(let path, let errno): "\(path): cannot open it for the new process: \(errno)"
    case .cannotWatch(let path, let errno):
      "\(path): stopped it again because its end could not be noticed: \(errno)"
    case .notAbsolute(let path): "\(path): the path must be absolute, beginning with /"
    case .unusable(let path, let problem): "\(path): cannot run it: \(problem)"
    }
  }
}
