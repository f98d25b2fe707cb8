internal import BusContract
internal import Commands
internal import DBus

/// The unchanged paths of the files for the standard streams of a new process; nil for options that were not
/// given.
struct StreamPaths: Equatable {
  var input: String?
  var output: String?
  var error: String?

  /// Opens the files with the permissions of this user and passes descriptors: the daemon opens no paths of
  /// callers.
  func open(for options: inout OpenOptions, from folder: String) throws(CommandFailure) {
    options.standardInput = try open(input, .reading, folder)
    options.standardOutput = try open(output, .adding, folder)
    options.standardError = try open(error, .adding, folder)
  }

  private func open(
    _ path: String?, _ use: FilePath.Use, _ folder: String
  ) throws(CommandFailure) -> OwnedDescriptor? {
    guard let path else { return nil }
    return try FilePath.open(FilePath.absolute(path, from: folder), for: use)
  }

  /// The options that were given.
  var options: [OpenFlag] {
    let used: [(OpenFlag, String?)] = [
      (.standardInput, input), (.standardOutput, output), (.standardError, error),
    ]
    return used.filter { $0.1 != nil }.map(\.0)
  }
}

extension OpenInvocation {
  /// The given options that affect only a new process, as text such as `--stdin and --env`; nil for none.
  var optionsOfNewProcess: String? {
    let used =
      streams.options + (options.environment.isEmpty ? [] : [.environment])
      + (options.arguments.isEmpty ? [] : [.arguments]) + (options.hidden ? [.hide] : [])
      + (options.fresh ? [.fresh] : [])
    let names = used.map(\.name)
    guard let last = names.last else { return nil }
    return names.count == 1 ? last : names.dropLast().joined(separator: ", ") + " and " + last
  }
}
