internal import BusContract
internal import DBus
internal import DBusMainLoop

extension Workspace {
  /// What becomes of applications (R6.11). Not of those with `LSUIElement` or `LSBackgroundOnly`; they
  /// are among the `runningApplications` only.
  public enum Notification: Hashable, Sendable {
    case willLaunchApplication(RunningApplication)
    case didLaunchApplication(RunningApplication)
    case didTerminateApplication(RunningApplication)
  }

  /// Everything that happens from now on, also after a restart of the daemon, until the bus is gone.
  /// Who reads too slowly loses what came before the last 1,000.
  public func notifications() async throws(OpenError) -> AsyncStream<Notification> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Notification.self, bufferingPolicy: .bufferingNewest(1000))
    do throws(BusError) {
      let watch = ApplicationWatch(BusSession(try service.newConnection()), continuation)
      try await watch.start()
      // It lives as long as somebody reads.
      continuation.onTermination = { _ in Task { @MainActor in watch.stop() } }
    } catch {
      throw OpenError(error)
    }
    return stream
  }
}

/// A connection of its own, which is told which applications come and go.
@MainActor private final class ApplicationWatch {
  private let session: BusSession
  private let continuation: AsyncStream<Workspace.Notification>.Continuation
  /// The unique name of the daemon; nil while there is none.
  private var daemon: String?

  init(
    _ session: BusSession, _ continuation: AsyncStream<Workspace.Notification>.Continuation
  ) {
    self.session = session
    self.continuation = continuation
    session.onSignal = { [weak self] in self?.note($0) }
    session.onDisconnect = { continuation.finish() }
  }

  func start() async throws(BusError) {
    session.start()
    let rule =
      "type='signal',sender='\(Self.bus)',interface='\(Self.bus)',member='NameOwnerChanged',"
      + "arg0='\(Contract.busName)'"
    _ = try await session.call(Self.ask("AddMatch", rule))
    // Starts the daemon where it does not run.
    _ = try await session.call(Contract.ping())
    daemon = try await session.call(Self.ask("GetNameOwner", Contract.busName.text)).first?.asString
    _ = try await session.call(Contract.watchApplications())
  }

  func stop() { session.stop() }

  private func note(_ signal: borrowing Message) {
    let arguments = signal.arguments()
    if signal.sender == Self.bus.text, signal.member == "NameOwnerChanged" {
      guard arguments.first?.asString == Contract.busName.text else { return }
      daemon = arguments.last?.asString
      guard daemon?.isEmpty == false else { return }
      return session.call(Contract.watchApplications(), deadline: nil) { answer in
        guard case .failure(let error) = answer else { return }
        StandardStreams.complain("the daemon tells no more of applications: \(error.text)")
      }
    }
    // Anybody can send a signal of this name.
    guard signal.sender == daemon, signal.interface == Contract.registry.text,
      let application = arguments.first?.asOptions.flatMap(Workspace.RunningApplication.init)
    else { return }
    switch signal.member {
    case "ApplicationWillLaunch": continuation.yield(.willLaunchApplication(application))
    case "ApplicationLaunched": continuation.yield(.didLaunchApplication(application))
    case "ApplicationTerminated": continuation.yield(.didTerminateApplication(application))
    default: break
    }
  }

  private static let bus: BusName = "org.freedesktop.DBus"

  private static func ask(_ member: MemberName, _ argument: String) -> Message {
    .call(
      to: bus, path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: member,
      [.string(argument)])
  }
}
