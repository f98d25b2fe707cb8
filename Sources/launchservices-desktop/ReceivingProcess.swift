internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import DesktopEntries
internal import Host
internal import LaunchRules

/// Asks the daemon which application a process belongs to, before the process gets a URL.
struct ReceivingProcess {
  /// Where the process gets the URL.
  enum Endpoint: Hashable {
    /// A connection to the bus.
    case connection(BusName)
    /// A socket at which the process listens.
    case socket(path: String)
  }

  private let session: BusSession
  private let holders: EndpointHolders
  private static let patience: Duration = .seconds(15)

  init(_ session: BusSession) {
    self.session = session
    holders = EndpointHolders(session)
  }

  /// The failure of an open whose URL the process would get; nil when the process may get the URL.
  /// - Parameter program: how the process relates to the programs of the application.
  func objection(
    to process: ProcessDetails, at endpoint: Endpoint, of application: DesktopApplication,
    _ program: ReceivingProcessRule.Program? = nil
  ) async -> DesktopFailure? {
    let name = application.identifier
    var programs = [application.programWords]
    if let bus = application.activationName {
      let folders = DesktopProgram.userFolders
      let places = [folders.runtimeDir, folders.dataHome].compactMap(\.self) + folders.dataDirs
      programs.append(BusService.words(of: bus, in: places + ["/usr/share"]))
    }
    let relation = program ?? RunningProgram.relation(of: process, to: programs)
    var objection = ReceivingProcessRule.objection(
      to: await identity(of: process),
      of: .init(name, isSandboxed: application.isSandboxed), relation)
    // A proxy connects for an application in a sandbox.
    if objection == nil, !application.isSandboxed {
      objection = await holders.of(endpoint, process, programs)
        .flatMap(ReceivingProcessRule.objection(to:))
    }
    return objection.map {
      DesktopFailure(
        "the URL was not sent to \(name): \($0) (process \(process.pid)); end this process, and try again"
      )
    }
  }

  /// The failure of an open whose URL the process got and did not answer.
  /// - Parameter answer: nil for a protocol without the bus.
  static func unanswered(
    _ application: String, _ process: ProcessDetails?, _ answer: BusAnswer?,
    within limit: Duration
  ) -> DesktopFailure {
    let name = process.map { "\(application), process \($0.pid)," } ?? application
    // The bus answers for a process that has left the bus.
    if case .error = answer {
      return DesktopFailure(
        "\(name) ended, or left the message bus, before it said whether it took the URL",
        mayHaveArrived: true)
    }
    if limit < .seconds(1) {
      return DesktopFailure(
        "\(name) did not say whether it took the URL, and owes the answer to an earlier URL; the URL may still"
          + " arrive", mayHaveArrived: true)
    }
    return DesktopFailure(
      "\(name) did not say whether it took the URL (time limit: \(limit.components.seconds) s); the URL may still"
        + " arrive", mayHaveArrived: true)
  }

  private func identity(of process: ProcessDetails) async -> ReceivingProcessRule.Identity {
    let question = Contract.identifyProcess(UInt32(process.pid), startTime: process.startTime)
    do throws(BusError) {
      let answer = try await session.call(question, deadline: Self.patience).first?.asOptions ?? [:]
      if answer[Key.descendsFromApplication]?.asBoolean == true { return .descendant }
      guard let application = answer[Key.bundleIdentifier]?.asString else { return .ofUser }
      return answer[Key.origin]?.asString == InstalledApplication.Origin.desktopEntry.rawValue
        ? .desktopApplication(application) : .application(application)
    } catch {
      return .unknown(reason: error.text)
    }
  }
}
