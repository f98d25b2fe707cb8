internal import BusContract
package import DBus

// The calls of the registry.

extension TestClient {
  /// Registers the bundle or property list at an absolute path; returns its bundle identifier.
  @discardableResult public func register(
    _ path: String, define definitions: [String: String] = [:]
  ) async throws(Refusal) -> String {
    let answer = try await call(Contract.registerApplication(path, definitions: definitions))
    guard let identifier = answer.first?.asString else { throw unexpected(answer) }
    return identifier
  }

  /// Removes the registrations by path of all copies with the bundle identifier.
  public func unregister(_ identifier: String) async throws(Refusal) {
    _ = try await call(Contract.unregisterApplication(identifier))
  }

  /// Makes a file the association file of a web site, as if the site served it. Testbeds ask no site.
  /// - Parameters:
  ///   - domain: The host of the site, such as `example.com`.
  ///   - path: The absolute path of an `apple-app-site-association` file.
  public func associate(_ domain: String, with path: String) async throws(Refusal) {
    _ = try await call(Contract.setAssociationFile(domain, path))
  }

  /// Makes the daemon read all application folders again, and waits for the end.
  public func reload() async throws(Refusal) { _ = try await call(Contract.reload()) }

  /// The bundle identifiers of all registered applications, sorted.
  public func applications() async throws(Refusal) -> [String] {
    try await entries().compactMap { $0["bundle-identifier"]?.asString }.sorted()
  }

  /// The entry of one application in the reply of `ListApplications`; nil when it is not registered.
  package func entry(of identifier: String) async throws(Refusal) -> Options? {
    try await entries().first { $0["bundle-identifier"]?.asString == identifier }
  }

  /// The state of each process in the reply of `RunningApplications`, by identifier.
  public func states() async throws(Refusal) -> [String: String] {
    var states: [String: String] = [:]
    for entry in try await running() {
      states[entry["bundle-identifier"]?.asString ?? ""] = entry["state"]?.asString
    }
    return states
  }

  package func running() async throws(Refusal) -> [Options] {
    let answer = try await call(Contract.runningApplications())
    guard let list = answer.first?.asOptionsList else { throw unexpected(answer) }
    return list
  }

  private func entries() async throws(Refusal) -> [Options] {
    let answer = try await call(Contract.listApplications())
    guard let list = answer.first?.asOptionsList else { throw unexpected(answer) }
    return list
  }

  /// The handlers of a scheme, best first.
  public func handlers(_ scheme: String) async throws(Refusal) -> [String] {
    let answer = try await call(Contract.handlers(scheme))
    guard let identifiers = answer.first?.asStrings else { throw unexpected(answer) }
    return identifiers
  }

  /// The bundle identifier of the application that would open URLs with a scheme; throws without a handler.
  public func defaultHandler(_ scheme: String) async throws(Refusal) -> String {
    let answer = try await call(Contract.defaultHandler(scheme))
    guard let identifier = answer.first?.asString else { throw unexpected(answer) }
    return identifier
  }

  /// Makes an application the user's default handler of a scheme.
  /// - Parameters:
  ///   - scheme: The scheme, without a colon.
  ///   - identifier: The bundle identifier; empty to remove the choice.
  public func setDefaultHandler(
    _ scheme: String, _ identifier: String
  ) async throws(Refusal) {
    _ = try await call(Contract.setDefaultHandler(scheme, identifier))
  }

  /// The diagnostics of a bundle or property list, one line each.
  public func lint(_ path: String) async throws(Refusal) -> [String] {
    let answer = try await call(Contract.lint(path))
    guard let list = answer.first?.asOptionsList else { throw unexpected(answer) }
    return list.map { entry in
      let keys = ["severity", "key-path", "problem", "consequence"]
      let parts = keys.map { entry[$0]?.asString ?? "" }
      return "\(parts[0]): \(parts[1]): \(parts[2]): \(parts[3])"
    }
  }
}
