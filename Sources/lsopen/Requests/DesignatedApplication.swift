internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules

/// Applications by name or path (R7.2).
extension OpenCommand {
  /// The identifier of the application named with `-a`.
  func identifier(
    named name: String, _ invocation: OpenInvocation
  ) throws(CommandFailure) -> String {
    if name.utf8.contains(UInt8(ascii: "/")) {
      return try identifier(at: try file(Operand(name)), invocation)
    }
    let found = try find(.name(name), invocation)
    guard let best = found.first else {
      let path = FilePath.absolute(name, from: folder)
      if FilePath.isApplication(path) { return try identifier(at: path, invocation) }
      throw CommandFailure(
        .failed,
        "no registered application is called '\(name)'; 'lsregister list' shows them, and the path of"
          + " a bundle serves as well", error: "ApplicationNotFound")
    }
    if found.count > 1 {
      output.complain(
        "\(found.joined(separator: ", ")) are called '\(name)'; using \(best), choose with -b")
    }
    return best
  }

  /// The identifier of the application at an absolute path. Registers an unknown application, like Launch
  /// Services (R1.51).
  func identifier(
    at path: String, _ invocation: OpenInvocation
  ) throws(CommandFailure) -> String {
    let path = try decodable(path)
    if let known = try find(.path(path), invocation).first {
      let used = try bundle(of: known, invocation)
      if used != path, !path.hasPrefix(used + "/") {
        output.complain("\(path) is not the copy of \(known) that is in use: using \(used)")
      }
      return known
    }
    let answer = try ask(Contract.registerApplication(path), invocation)
    let identifier = answer.first?.asString ?? ""
    output.complain("registered \(path) as \(identifier)")
    if let copies = RegisteredCopies(of: identifier, in: service) { output.complain(copies.remark) }
    return identifier
  }

  /// Adds a remedy to the failure when no application has the identifier of `-b`, which may be a name.
  func advising(_ failure: CommandFailure, on invocation: OpenInvocation) -> CommandFailure {
    guard failure.error == "ApplicationNotFound", invocation.applicationName == nil,
      let name = invocation.options.application, failure.reason.hasPrefix("no application \(name) ")
    else { return failure }
    guard !name.utf8.contains(UInt8(ascii: ".")) else {
      return CommandFailure(
        failure.code,
        failure.reason
          + (UnusedDesktopEntry.advice(on: name, service) ?? CommandFailure.listHint),
        error: failure.error)
    }
    return CommandFailure(
      failure.code, failure.reason + advice(on: name, invocation), error: failure.error)
  }

  /// The next step when the value of `-b` is no identifier of an application: it may be the name of one.
  func advice(on name: String, _ invocation: OpenInvocation) -> String {
    (try? find(.name(name), invocation))?.first.map {
      "; the application called '\(name)' is \($0): write -a \(RemoteShell.quoted(name))"
    } ?? "; -b takes a bundle identifier: 'lsregister list' shows them"
  }

  /// The identifiers of the applications with this name, best first.
  private func find(
    _ query: ApplicationQuery, _ invocation: OpenInvocation
  ) throws(CommandFailure) -> [String] {
    (try ask(Contract.findApplications(query), invocation).first?.asOptionsList ?? [])
      .compactMap { $0[Key.bundleIdentifier]?.asString }
  }

  /// The path of an application's bundle, or of its property list.
  func bundle(
    of identifier: String, _ invocation: OpenInvocation
  ) throws(CommandFailure) -> String {
    let found = try ask(Contract.findApplications(.identifier(identifier)), invocation)
    guard let path = found.first?.asOptionsList?.first?[Key.bundle]?.asString else {
      throw CommandFailure(
        .failed, OpenFailure.notRegistered(identifier).sentence, error: "ApplicationNotFound")
    }
    return path
  }
}
