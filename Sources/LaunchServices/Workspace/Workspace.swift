internal import BusContract
internal import DBus
public import FoundationEssentials
internal import LaunchRules

/// The applications of the user, with the interface of `NSWorkspace`.
///
/// Not available to iOS applications, which may not use the registry.
@MainActor public final class Workspace {
  /// The workspace of this process; it uses the connection of `Application.shared`.
  public static let shared = Workspace(Application.shared.service)

  let service: DaemonConnection

  init(_ service: DaemonConnection) { self.service = service }
}

// MARK: - Lookup

extension Workspace {
  /// The bundle, or the standalone property list, of the application that would open the URL (R6.1). Nil when
  /// no application would open it, or the file does not exist.
  ///
  /// Blocks until the daemon answers, at most 5 s, as the queries below do.
  public func urlForApplication(toOpen url: URL) -> URL? {
    guard exists(url) else { return nil }
    return bundles(.url(url.absoluteString)).first
  }

  /// All applications that may open the URL, best first.
  public func urlsForApplications(toOpen url: URL) -> [URL] {
    guard exists(url) else { return [] }
    return bundles(
      in: ApplicationQuery.all(toOpen: url.absoluteString) { [.optionsList(ask($0))] })
  }

  /// True for URLs that are not file URLs.
  private func exists(_ url: URL) -> Bool {
    !url.isFileURL || FileManager.default.fileExists(atPath: url.path)
  }

  /// The copy of the application that Launch Services uses; nil when the application is not registered (R6.6).
  public func urlForApplication(withBundleIdentifier identifier: String) -> URL? {
    urlsForApplications(withBundleIdentifier: identifier).first
  }

  /// All copies of the application, best first.
  public func urlsForApplications(withBundleIdentifier identifier: String) -> [URL] {
    bundles(.identifier(identifier))
  }

  /// The running and launching applications, ordered by identifier (R6.10).
  public var runningApplications: [RunningApplication] {
    ask(Contract.runningApplications()).compactMap(RunningApplication.init)
  }

  private func bundles(_ query: ApplicationQuery) -> [URL] {
    bundles(in: ask(Contract.findApplications(query)))
  }

  private func bundles(in applications: [Options]) -> [URL] {
    applications.compactMap { $0[Key.bundle]?.asString.map { URL(filePath: $0) } }
  }

  /// Empty when the call fails, which is reported on standard error.
  private func ask(_ message: borrowing Message) -> [Options] {
    do throws(BusError) {
      return try service.ask(message).first?.asOptionsList ?? []
    } catch {
      // The answer to an invalid URL or identifier is empty, without a report.
      if error.name != BusError.invalidArguments("").name, OpenFailure(error)?.status != -50 {
        StandardStreams.complain("\(message.member ?? ""): \(OpenError(error))")
      }
      return []
    }
  }
}

// MARK: - Defaults

extension Workspace {
  /// Makes the application the user's default handler for a scheme (R6.5).
  public func setDefaultApplication(
    at application: URL, toOpenURLsWithScheme scheme: String
  ) async throws(OpenError) {
    let identifier = try await identifier(at: application)
    _ = try await call { Contract.setDefaultHandler(scheme, identifier) }
  }
}

// MARK: - Opening

extension Workspace {
  /// Opens the URL with its handler (R4.17).
  /// - Returns: whether the URL was opened; the reason for false is printed to standard error.
  @discardableResult
  public func open(_ url: URL) async -> Bool {
    do throws(OpenError) {
      _ = try await open(url, configuration: OpenConfiguration())
      return true
    } catch {
      StandardStreams.complain("open \"\(url.absoluteString)\": \(error)")
      return false
    }
  }

  /// Opens the URL with its handler and with options (R4.17). Suspends until the daemon answers.
  /// - Returns: the state of the handler's process.
  @discardableResult
  public func open(
    _ url: URL, configuration: OpenConfiguration
  ) async throws(OpenError) -> RunningApplication {
    let options = try configuration.options()
    return try await open(options) { Contract.openURL(url.absoluteString, $0) }
  }

  /// Opens the URLs with one application, in order, whether or not it claims them (R5.28). Stops at the first
  /// failure.
  @discardableResult
  public func open(
    _ urls: [URL], withApplicationAt application: URL, configuration: OpenConfiguration
  ) async throws(OpenError) -> RunningApplication {
    guard let last = urls.last else {
      return try await openApplication(at: application, configuration: configuration)
    }
    var options = try configuration.options()
    options.application = try await identifier(at: application, configuration)
    for url in urls.dropLast() {
      let used = try await open(options) { Contract.openURL(url.absoluteString, $0) }
      if used.processIdentifier > 0 { options.instances = [UInt32(used.processIdentifier)] }
    }
    return try await open(options) { Contract.openURL(last.absoluteString, $0) }
  }

  /// Starts the application, or brings its running process to the front.
  @discardableResult
  public func openApplication(
    at application: URL, configuration: OpenConfiguration
  ) async throws(OpenError) -> RunningApplication {
    let options = try configuration.options()
    let identifier = try await identifier(at: application, configuration)
    return try await open(options) { Contract.openApplication(identifier, $0) }
  }

  private func open(
    _ options: OpenOptions, _ message: @escaping (OpenOptions) -> Message
  ) async throws(OpenError) -> RunningApplication {
    var options = options
    options.requestID = UUID().uuidString
    let answer = try await ask(delays: ReconnectPolicy.delays[...]) { [options] isRepeated in
      var options = options
      options.isRepeated = isRepeated
      return message(options)
    }
    guard let receipt = answer.first?.asOptions.flatMap(Receipt.init) else {
      throw OpenError(.failed("the daemon's answer is not a receipt"))
    }
    let running = try await call { Contract.runningApplications() }.first?.asOptionsList ?? []
    let own = running.first { $0[Key.pid]?.asUInt32 == receipt.pid }
    // The process may have ended in the meantime.
    return own.flatMap(RunningApplication.init) ?? RunningApplication(receipt)
  }

  /// Registers the application if it is unknown, as Launch Services does (R1.51).
  private func identifier(
    at application: URL, _ configuration: OpenConfiguration = OpenConfiguration()
  ) async throws(OpenError) -> String {
    var path = application.path
    if path.count > 1, path.hasSuffix("/") { path.removeLast() }
    let known = try await call { [path] in Contract.findApplications(.path(path)) }
    var identifier = known.first?.asOptionsList?.first?[Key.bundleIdentifier]?.asString
    if identifier == nil {
      identifier = try await call { [path] in Contract.registerApplication(path) }.first?.asString
    }
    guard let identifier else {
      throw OpenError(.failed("the daemon's answer has no bundle identifier"))
    }
    if !configuration.allowsRunningApplicationSubstitution {
      let copies = try await call { Contract.findApplications(.identifier(identifier)) }
      let used = copies.first?.asOptionsList?.first?[Key.bundle]?.asString
      if let used, used != path {
        throw OpenError.invalidOption("another copy of \(identifier) is in use: \(used)")
      }
    }
    return identifier
  }

  private func call(_ message: @escaping () -> Message) async throws(OpenError) -> [Value] {
    try await ask(delays: []) { _ in message() }
  }

  private func ask(
    delays: ArraySlice<Int>, _ message: @escaping (_ isRepeated: Bool) -> Message
  ) async throws(OpenError) -> [Value] {
    let answer = await withCheckedContinuation { continuation in
      service.ask(message, delays: delays) { continuation.resume(returning: $0) }
    }
    return try answer.mapError(OpenError.init(registry:)).get()
  }
}

extension OpenError {
  /// The error of a call that may also fail with an error of the registry.
  fileprivate init(registry error: BusError) {
    let text = error.text
    switch Contract.shortName(of: error) {
    case "NotRegistered", "InvalidBundle":
      self.init(code: .applicationNotFound, message: text, status: -10814)
    case ErrorName.invalidArgs.text: self = .invalidOption(text)
    default: self.init(error)
    }
  }
}
