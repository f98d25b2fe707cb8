internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Events
internal import FoundationEssentials
internal import Glibc
internal import LaunchRules

/// A process that is an application: it checks in with the daemon, launches its delegate, and
/// answers what the daemon asks of it until the bus goes away.
@MainActor final class HandlerProcess {
  private let session: BusSession
  private let application: RunningApplication
  /// The unique name of the daemon; nil while there is none.
  private var service: String?
  private var hasLaunched = false
  private var direct: DirectDeliveries?
  private var connecting: Task<Void, Never>?

  /// Never returns. The process ends with 0 when the bus goes away.
  static func run(_ delegate: any ApplicationDelegate.Type) -> Never {
    StandardStreams.writeLinesAtOnce()
    let process: HandlerProcess
    do throws(StartFailure) {
      process = try HandlerProcess(delegate)
    } catch {
      StandardStreams.complain(error.sentence)
      exit(error.status)
    }
    return withExtendedLifetime(process) { MainLoop.run() }
  }

  private init(_ type: any ApplicationDelegate.Type) throws(StartFailure) {
    let answer: Options
    var connected: Connection?
    do throws(BusError) {
      let connection = try Connection()
      connected = connection
      session = BusSession(connection)
      service = try Self.watchService(connection)
      answer = try Self.checkIn(connection)
    } catch {
      let failure = StartFailure(error)
      if case .alreadyRunning = failure, let connected { try HandOver.run(on: connected) }
      throw failure
    }
    application = RunningApplication(type.init(), of: .shared)
    serve()
    Application.shared.takeShortcutItems(answer)
    let answers = try application.finishLaunching(answer)
    finish(Contract.finishLaunching(will: answers.will, did: answers.did))
    hasLaunched = true
  }
}

// MARK: - Checking in

extension HandlerProcess {
  /// Has the bus tell when the daemon comes and goes, and asks who it is now.
  private static func watchService(_ connection: Connection) throws(BusError) -> String? {
    _ = try connection.callAndWait(
      MessageBus.call(
        "AddMatch",
        "type='signal',sender='\(MessageBus.name)',interface='\(MessageBus.name)',"
          + "member='NameOwnerChanged',arg0='\(Contract.busName)'"))
    do throws(BusError) {
      return try connection.callAndWait(
        MessageBus.call("GetNameOwner", Contract.busName.text)
      ).first?.asString
    } catch {
      return nil  // the check-in starts it, and the bus tells its name
    }
  }

  private static func checkIn(_ connection: Connection) throws(BusError) -> Options {
    let environment = ProcessInfo.processInfo.environment
    // The token is good for one process: those that this one starts must not show it.
    unsafe unsetenv(Contract.tokenVariable)
    unsafe unsetenv(Contract.identifierVariable)
    var options = CheckInOptions(
      token: environment[Contract.tokenVariable],
      bundleIdentifier: environment[Contract.identifierVariable],
      objectPath: Contract.applicationPath)
    options.remembersRequests = true
    return try connection.callAndWait(Contract.checkIn(options), milliseconds: 25_000).first?
      .asOptions ?? [:]
  }

  private func finish(_ message: borrowing Message) {
    session.call(message, deadline: nil) { [weak self] answer in
      self?.hearDirectly()
      // A daemon that has ended is followed by one that this process checks in with again.
      guard case .failure(let error) = answer, !CutOff.isCutOff(error),
        error.name != "org.launchservices.Error.AlreadyRunning"  // with this very daemon
      else { return }
      StandardStreams.complain("Launch Services did not take the launch: \(error.text)")
    }
  }
}

// MARK: - Serving

extension HandlerProcess {
  private func serve() {
    session.onDisconnect = { exit(0) }
    session.onSignal = { [weak self] signal in self?.note(signal) }
    session.onCall = { [weak self] call in
      guard let self else { return }
      answer(call, isFromService: call.sender == service)
    }
    Application.shared.service.use(session)
    session.start()
  }

  private func note(_ signal: borrowing Message) {
    // Anybody may send a signal of this name; only the bus itself says the truth.
    guard signal.sender == MessageBus.name.text, signal.member == "NameOwnerChanged" else { return }
    let names = signal.arguments().compactMap(\.asString)
    guard names.count == 3, names[0] == Contract.busName.text else { return }
    service = names[2].isEmpty ? nil : names[2]
    if service != nil, hasLaunched { checkInAgain() }
  }

  /// Another daemon: it knows this process by what the one before has written down of it.
  private func checkInAgain() {
    var options = CheckInOptions(objectPath: Contract.applicationPath)
    options.isRunning = true
    options.remembersRequests = true
    options.state = "\(Application.shared.applicationState)"
    session.call(Contract.checkIn(options), deadline: nil) { [weak self] answer in
      self?.hearDirectly()
      guard case .failure(let error) = answer, !CutOff.isCutOff(error) else { return }
      StandardStreams.complain("Launch Services did not take this application back: \(error.text)")
    }
  }

  /// With no bus between from now on, where that can be.
  private func hearDirectly() {
    direct = nil
    connecting?.cancel()
    guard let socket = Service.directSocket else { return }
    connecting = Task { [weak self] in
      let connection = await DirectDeliveries.connect(socket)
      guard let connection, let self, !Task.isCancelled else { return }
      direct = DirectDeliveries(
        on: connection, besides: session, offer: Contract.deliverDirectly
      ) { [weak self] call in
        self?.answer(call, isFromService: true)
      }
    }
  }

  private func answer(_ call: PendingCall, isFromService: Bool) {
    do throws(BusError) {
      switch try ApplicationCall(call, isFromService: isFromService) {
      case .openURLs(let urls): call.succeed([.booleans(application.open(urls))])
      case .performQuickAction(let action, let request, let isRepeated):
        let answer = OneAnswer(to: call)
        application.performQuickAction(action, request: request, isRepeated: isRepeated) {
          answer.give($0)
        }
      case .continueUserActivity(let activity):
        call.succeed([.boolean(application.continueActivity(activity))])
      case .reopen:
        application.reopen()
        call.succeed()
      case .stateChanged(let state):
        application.change(to: state)
        call.succeed()
      case .introspect:
        call.succeed([
          .string(InterfaceDescription.document(interfaces: ApplicationCall.interfaces))
        ])
      case .ping: call.succeed()
      case .machineID: call.succeed([.string(try localMachineID())])
      }
    } catch {
      call.fail(error)
    }
  }
}

/// The answer to a quick action. Applications sometimes call a completion handler twice.
@MainActor private final class OneAnswer {
  private var call: PendingCall?
  init(to call: PendingCall) { self.call = call }

  func give(_ handled: Bool) {
    call?.succeed([.boolean(handled)])
    call = nil
  }
}

/// The message bus itself.
private enum MessageBus {
  static let name: BusName = "org.freedesktop.DBus"

  static func call(_ member: MemberName, _ argument: String) -> Message {
    .call(
      to: name, path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: member,
      [.string(argument)])
  }
}
