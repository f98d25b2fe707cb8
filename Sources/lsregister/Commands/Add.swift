internal import ApplicationFolders
internal import BuildSettings
internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules
internal import PropertyLists

/// `lsregister add`.
extension RegisterCommand {
  func add(_ paths: [String], _ invocation: RegisterInvocation) throws(CommandFailure) -> ExitCode {
    guard invocation.build.readsFiles else {
      let build = try request(invocation.build)
      let settings = try settings(build)
      for problem in settings.problems { output.complain(problem.description) }
      return try each(paths) { path throws(CommandFailure) in
        try add(path, settings.definitions, invocation)
      }
    }
    let request = try request(invocation.build)
    var subjects: [BuildSubject] = []
    if paths.isEmpty {
      subjects = try targets(request)
      guard subjects.count == 1 else {
        throw CommandFailure(
          .failed,
          "the project has the application targets \(subjects.map(\.name).joined(separator: ", "));"
            + " choose one with --target")
      }
    } else {
      let settings = try settings(request)
      for path in paths {
        subjects.append(
          BuildSubject(name: path, propertyList: try existing(path), settings: settings))
      }
    }
    var code = ExitCode.success
    for subject in subjects {
      for problem in subject.settings.problems { output.complain(problem.description) }
      guard let path = subject.propertyList else {
        throw CommandFailure(
          .failed,
          "the target \(subject.name) has no INFOPLIST_FILE: Xcode generates its property list, which"
            + " claims no scheme")
      }
      let added = try each([path]) { path throws(CommandFailure) in
        try requireValues(subject, at: path)
        try add(path, definitions(of: subject, at: path), invocation)
      }
      if code == .success { code = added }
    }
    return code
  }

  private func add(
    _ path: String, _ definitions: [String: String], _ invocation: RegisterInvocation
  ) throws(CommandFailure) {
    let original = try existing(path)
    guard !original.hasSuffix(".desktop") else { throw .desktopEntry(original) }
    var (path, definitions) = (original, definitions)
    if let behaviour = invocation.standIn {
      (path, definitions) = try writeStandIn(for: path, definitions, behaviour)
    }
    let message = Contract.registerApplication(path, definitions: definitions)
    let identifier = try call(message).first?.asString ?? ""
    output.print(
      invocation.json
        ? JSON.text([Key.bundleIdentifier: .string(identifier), "path": .string(path)])
        : identifier)
    for oddity in oddities(at: original, definitions) { output.complain(oddity) }
    try tellCopies(of: identifier, addedAt: path)
  }

  /// The most important findings, and those about the program, such as a build variable without a value; `lint` reports
  /// all.
  private func oddities(at path: String, _ definitions: [String: String]) -> [String] {
    guard let file = try? PropertyListPath.find(path) else { return [] }
    let reading = ApplicationReading(of: file, variables: BuildVariables(definitions))
    return (reading.diagnostics + LocalizedTexts.diagnostics(of: file))
      .filter { $0.severity != .note || $0.keyPath.hasPrefix("ProgramArguments") }.map(
        \.description)
  }

  /// Fails with a list of the build variables without a value.
  private func requireValues(_ subject: BuildSubject, at path: String) throws(CommandFailure) {
    guard let file = try? PropertyListPath.find(path) else { return }
    let open = ApplicationReading(of: file, variables: subject.settings.variables).openVariables
    guard !open.isEmpty else { return }
    let list = open.map { "\($0.name) (\($0.keyPath))" }.joined(separator: ", ")
    throw CommandFailure(
      .failed,
      "\(file) is not registered, because these build variables have no value: \(list); give them"
        + " values with \(open.map { "--define \($0.name)=VALUE" }.joined(separator: " "))")
  }

  /// Reports other bundles with the same identifier, and the bundle in use. Fails when that is not the added
  /// one.
  func tellCopies(of identifier: String, addedAt path: String) throws(CommandFailure) {
    guard let copies = RegisteredCopies(of: identifier, in: service) else { return }
    if copies.isUnused(path) { throw CommandFailure(.failed, copies.remark) }
    output.complain(copies.remark)
  }
}
