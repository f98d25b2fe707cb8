internal import LaunchRules

/// Reads the start of the application: `CFBundleExecutable`, `ProgramArguments` and `LSEnvironment`.
extension LenientDictionary {
  /// The executable takes precedence in a bundle, the arguments in a loose property list.
  func program(_ context: ReadingContext) -> Program {
    switch context.location.layout {
    case .iOS, .macOS: executable(context) ?? arguments(context) ?? .missing
    case .loose: arguments(context) ?? executable(context) ?? .missing
    }
  }

  private func executable(_ context: ReadingContext) -> Program? {
    let key = "CFBundleExecutable"
    guard let name = text(key) else { return nil }
    guard !name.contains("/"), name != ".", name != "..", !name.utf8.contains(0) else {
      context.report(
        .warning, key, "\(name.quoted) is not the name of a file",
        "it was ignored and the application cannot be launched by it: write the name alone; the "
          + "layout of the bundle determines the folder")
      return nil
    }
    return .executable(candidates: context.location.candidates(forExecutable: name))
  }

  private func arguments(_ context: ReadingContext) -> Program? {
    let key = "ProgramArguments"
    var arguments = list(key) { $0.passableText() }
    guard let program = arguments.first else { return nil }
    guard !program.isEmpty else {
      context.report(
        .warning, "\(key)[0]", "is empty", "the key was ignored: name the program to start")
      return nil
    }
    if program.contains("/"), !program.hasPrefix("/") {
      let relative = program.hasPrefix("./") ? String(program.dropFirst(2)) : program
      arguments[0] = context.location.propertyListFolder.appending(component: relative)
    }
    return .arguments(arguments)
  }

  func environment(_ context: ReadingContext) -> [String: String] {
    guard let entries = dictionary("LSEnvironment") else { return [:] }
    var environment: [String: String] = [:]
    for name in entries.keys {
      guard !name.isEmpty, !name.contains("="), !name.utf8.contains(0) else {
        context.report(
          .warning, "LSEnvironment", "\(name.quoted) cannot be the name of an environment variable",
          "the entry was ignored: a name is not empty and contains no \"=\"")
        continue
      }
      environment[name] = entries.value(name)?.passableText()
    }
    return environment
  }
}

extension LenientValue {
  /// Text that can be passed to a process. Variables without a value are unchanged, because `$(…)` may be
  /// meant for a shell.
  fileprivate func passableText() -> String? {
    guard let expansion = text(mayBeOpen: true) else { return nil }
    guard !expansion.text.utf8.contains(0) else {
      context.report(
        .warning, path, "contains a zero character, which no process can be given", "it was ignored"
      )
      return nil
    }
    if !expansion.unresolved.isEmpty {
      context.report(
        .note, path, "\(expansion.text.quoted) contains \(expansion.unresolvedPhrase)",
        "it was kept as written: if it is not meant for a shell, \(expansion.remedy)")
    }
    return expansion.text
  }
}
