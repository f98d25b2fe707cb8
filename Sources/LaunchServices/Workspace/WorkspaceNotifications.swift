internal import BusContract
internal import DBus
internal import DBusMainLoop

extension Workspace {
  /// A launch or an end of an application (R6.11). Applications with `LSUIElement` or `LSBackgroundOnly` cause
  /// no notifications; they are only listed in `runningApplications`.
  public enum Notification: Hashable, Sendable {
    /// The application is about to be launched.
    case willLaunchApplication(RunningApplication)
    /// The application has finished launching.
    case didLaunchApplication(RunningApplication)
    /// The application's process has ended.
    case didTerminateApplication(RunningApplication)
  }

  /// The notifications from now on, also after a restart of the daemon. The stream ends when the bus closes the
  /// connection. It buffers 1,000 notifications and drops the oldest.
  public func notifications() async throws(OpenError) -> AsyncStream<Notification> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Notification.self, bufferingPolicy: .bufferingNewest(1000))
    do throws(BusError) {
      let watch = ApplicationWatch(BusSession(try service.newConnection()), continuation)
      try await watch.start()
      // The stream keeps the connection until its reader stops.
      continuation.onTermination = { _ in Task { @MainActor in watch.stop() } }
    } catch {
      throw OpenError(error)
    }
    return stream
  }
}

/// A connection of its own that receives the signals about launches and ends.
@MainActor private final class ApplicationWatch {
  private let session: BusSession
  private let continuation: AsyncStream<Workspace.Notification>.Continuation
  /// The unique name of the daemon; nil while no daemon runs.
  private var daemon: String?

  init(
    _ session: BusSession, _ continuation: AsyncStream<Workspace.Notification>.Continuation
  ) {
    self.session = session
    self.continuation = continuation
    session.onSignal = { [weak self] in self?.handle($0) }
    session.onDisconnect = { continuation.finish() }
  }

  func start() async throws(BusError) {
    session.start()
    _ = try await session.call(
      MessageBus.addMatch(MessageBus.ownerChanges(of: Contract.busName)))
    // Starts the daemon if none runs.
    _ = try await session.call(Contract.ping())
    daemon = try await session.call(MessageBus.nameOwner(Contract.busName)).first?.asString
    _ = try await session.call(Contract.watchApplications())
  }

  func stop() { session.stop() }

  private func handle(_ signal: borrowing Message) {
    let arguments = signal.arguments()
    if MessageBus.isOwnerChange(signal) {
      guard arguments.first?.asString == Contract.busName.text else { return }
      daemon = arguments.last?.asString
      guard daemon?.isEmpty == false else { return }
      return session.call(Contract.watchApplications(), deadline: nil) { answer in
        guard case .failure(let error) = answer else { return }
        StandardStreams.complain("cannot watch applications any longer: \(error.text)")
      }
    }
    // Every connection can send a signal of this name.
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
}
