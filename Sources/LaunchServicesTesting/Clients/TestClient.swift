package import BusContract
package import DBus
package import DBusMainLoop
internal import Host
internal import LaunchRules

/// A connection to the bus of a testbed that sends queries and opens.
@MainActor public final class TestClient {
  package let session: BusSession
  private let signals = Inbox<Signal>()

  struct Signal: Sendable {
    var member: String
    var arguments: [Value]
  }

  /// - Parameter session: Started already, or started by the caller.
  package init(on session: BusSession) {
    self.session = session
    session.onSignal = { [signals] message in
      guard let member = message.member else { return }
      signals.put(Signal(member: member, arguments: message.arguments()))
    }
  }

  /// - Parameter address: nil for the bus of the environment.
  package convenience init(address: String?) throws(Refusal) {
    do throws(BusError) {
      self.init(on: BusSession(try Connection(address: address)))
    } catch {
      throw Refusal(error)
    }
    session.start()
  }

  /// Connects to the daemon directly.
  /// - Parameter environment: Determines the socket of the daemon.
  package convenience init(directIn environment: [String: String]) throws(Refusal) {
    guard let path = DirectSocket.path({ environment[$0] }) else {
      throw Refusal(ErrorName.badAddress.text, "there is no XDG_RUNTIME_DIR")
    }
    do throws(BusError) {
      self.init(on: BusSession(try Connection(socket: path, within: Patience.ofTests)))
    } catch {
      throw Refusal(error)
    }
    session.start()
  }

  /// Sends a call and waits for its reply.
  /// - Parameter limit: The timeout; a reply that takes longer means that the service hangs.
  package func call(
    _ message: borrowing Message, within limit: Duration = Patience.ofTests
  ) async throws(Refusal) -> [Value] {
    let member = message.member ?? ""
    do throws(BusError) {
      return try await session.call(message, deadline: limit)
    } catch  where error == .timedOut {
      throw Refusal(error.name.text, "\(member) was not answered within \(limit)")
    } catch {
      throw Refusal(error)
    }
  }

  /// Requests a well-known bus name; throws unless this connection becomes its owner.
  package func own(_ name: BusName) async throws(Refusal) {
    let notQueued: UInt32 = 4
    let answer = try await call(
      MessageBus.call("RequestName", [.string(name.text), .uint32(notQueued)]))
    guard answer.first?.asUInt32 == 1 else { throw unexpected(answer) }
  }

  package func ping() async throws(Refusal) { _ = try await call(Contract.ping()) }

  func unexpected(_ values: [Value]) -> Refusal {
    Refusal(
      ErrorName.invalidSignature.text,
      "the answer is of type (\(values.map(\.type).joined()))")
  }
}

// MARK: - Asking and opening

extension TestClient {
  /// Queries whether an application can open a URL.
  /// - Parameters:
  ///   - url: The URL.
  ///   - identifier: The application as which the caller is judged; nil for the caller itself.
  /// - Throws: Also `ApplicationNotFound`, when that application is not registered: a misspelt one would open nothing, and a test
  ///   that expects no would pass.
  public func canOpen(_ url: String, as identifier: String? = nil) async throws(Refusal) -> Bool {
    let answer = try await call(Contract.canOpenURL(url, QueryOptions(actAs: identifier)))
    guard let answer = answer.first?.asBoolean else { throw unexpected(answer) }
    if !answer, let identifier,
      (try? await explain(url, as: identifier))?.canOpenCode == CanOpenCode.notRegistered.rawValue
    {
      let failure = OpenFailure.notRegistered(identifier)
      throw Refusal(OpenFailure.prefix + failure.name, failure.sentence)
    }
    return answer
  }

  /// Opens a URL and waits for the result.
  /// - Parameters:
  ///   - url: the URL, as text.
  ///   - identifier: acts as this application. The daemon also takes an identifier that is not registered, which has
  ///     declared no schemes.
  ///   - application: the application that is to get the URL; nil for the handler that the rules choose.
  ///   - newInstance: whether a further instance of the application is started.
  ///   - requestID: the identifier of the request: the daemon delivers requests with the same identifier once.
  /// - Returns: what became of the URL.
  /// - Throws: `Refusal`, when the daemon refuses the open.
  public func open(
    _ url: String, as identifier: String? = nil, with application: String? = nil,
    newInstance: Bool = false, requestID: String? = nil
  ) async throws(Refusal) -> Receipt {
    var options = OpenOptions()
    options.requestID = requestID
    options.actAs = identifier
    options.application = application
    options.newInstance = newInstance
    return try await open(url, options)
  }

  package func open(_ url: String, _ options: OpenOptions) async throws(Refusal) -> Receipt {
    try await opening(url, options).receipt()
  }

  /// Sends an open immediately; its answer can be awaited later.
  public func opening(_ url: String) -> Opening { opening(url, OpenOptions()) }

  package func opening(_ url: String, _ options: OpenOptions) -> Opening {
    Opening(Contract.openURL(url, options), of: url, on: session)
  }

  /// Performs a quick action of an application.
  public func performQuickAction(
    _ type: String, of application: String
  ) async throws(Refusal) -> Receipt {
    try await Opening(
      Contract.performQuickAction(application, type: type), of: type, on: session
    ).receipt()
  }

  /// Opens an application without a URL.
  public func openApplication(
    _ identifier: String, newInstance: Bool = false, activate: Bool = true
  ) async throws(Refusal) -> Receipt {
    var options = OpenOptions()
    options.newInstance = newInstance
    options.activate = activate
    return try await openApplication(identifier, options)
  }

  package func openApplication(
    _ identifier: String, _ options: OpenOptions
  ) async throws(Refusal) -> Receipt {
    try await Opening(
      Contract.openApplication(identifier, options), of: identifier, on: session
    ).receipt()
  }

  /// Sets the dynamic quick actions of the application to which this connection belongs.
  package func setShortcutItems(_ items: [Options]) async throws(Refusal) {
    _ = try await call(Contract.setShortcutItems(items))
  }

  /// Sends a call immediately that waits for the end of an application's process.
  public func end(of pid: Int32) -> AwaitedEnd {
    AwaitedEnd(Contract.waitForExit(UInt32(pid)), of: pid, on: session)
  }

  /// Cancels an open of this connection by its cancellation identifier.
  /// - Returns: whether the handler had received the URL already.
  @discardableResult public func cancelOpen(_ id: String) async throws(Refusal) -> Bool {
    try await call(Contract.cancelOpen(id)).first == .boolean(true)
  }

  /// Queries the decision about an open of the URL and its reasons, without opening it; judged as another
  /// application if one is given.
  public func explain(
    _ url: String, as identifier: String? = nil
  ) async throws(Refusal) -> Explanation {
    try await explain(url, QueryOptions(actAs: identifier))
  }

  package func explain(
    _ url: String, _ options: QueryOptions
  ) async throws(Refusal) -> Explanation {
    let answer = try await call(Contract.explain(url, options))
    guard let explanation = answer.first?.asOptions.flatMap(Explanation.init) else {
      throw unexpected(answer)
    }
    return explanation
  }
}

// MARK: - Signals

extension TestClient {
  /// Subscribes to signals of the daemon and to changes of the owners of bus names.
  func listen() async throws {
    for rule in [
      MessageBus.ownerChanges(of: Contract.busName),
      MessageBus.ownerChanges(of: ServiceManagerContract.name),
      "type='signal',path='\(Contract.objectPath)'",
    ] {
      _ = try await call(MessageBus.addMatch(rule))
    }
  }

  /// Waits until a daemon owns its bus name; throws when the daemon has ended.
  func comes(_ daemon: ObservedProcess) async throws {
    try await comes(Contract.busName.text, of: daemon)
  }

  /// Waits until a bus name is owned; throws when the process that is to own it has ended.
  func comes(_ name: String, of daemon: ObservedProcess) async throws {
    daemon.onEnd = { [signals] end in
      signals.put(Signal(member: "ended", arguments: [.string("\(end)")]))
    }
    defer { daemon.onEnd = nil }
    let signal = try await signals.next("the bus name \(name)") {
      $0.member == "ended" || Self.isTaken(name, $0)
    }
    guard signal.member == "ended" else { return }
    let how = signal.arguments.first?.asString ?? ""
    throw TestbedFailure(
      "\(name == Contract.busName.text ? "the daemon" : daemon.name) \(how) before it owned its name; it wrote:\n"
        + daemon.lines.joined(separator: "\n"))
  }

  /// Waits until a daemon has taken the bus name since the last call of this method.
  public func nextDaemon() async throws {
    _ = try await signals.next("a daemon on the bus") { Self.isTaken(Contract.busName.text, $0) }
  }

  private static func isTaken(_ name: String, _ signal: Signal) -> Bool {
    signal.member == "NameOwnerChanged" && signal.arguments.first?.asString == name
      && signal.arguments.last?.asString?.isEmpty == false
  }

  /// Waits until the registry has changed since the last call of this method, and returns its generation.
  @discardableResult public func registryChange() async throws -> UInt64 {
    let signal = try await signals.next("the signal Changed of the registry") {
      $0.member == "Changed"
    }
    return signal.arguments.first?.asUInt64 ?? 0
  }

  /// The number of received signals with this name that were not awaited.
  package func heardSignals(_ member: String) -> Int {
    signals.contents.count { $0.member == member }
  }
}
