internal import BusContract
internal import CallerIdentity
internal import DBus
internal import DBusMainLoop
internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// Delivers requests to the processes of applications: over the bus, or on a direct connection.
final class DeliveryService {
  enum Event {
    case answered(InstanceID, RequestID, HandlerLifecycle.Answer)
    /// The request is on its way, and its opener wants to be answered then (R4.3).
    case invoked(OpenRequest)
    case connectionLost(InstanceID)
    /// The process gave up its bus name and has not ended.
    case stayedWithoutName(InstanceID)
    /// The process has ended, and all its messages were read.
    case ended(InstanceID, ProcessEnd)
  }

  typealias Process = (pid: Int32, startTime: UInt64)

  private let session: BusSession
  private let direct: PeerServer
  private let callers: CallerTable
  private let processes: ProcessSupervisor
  private let opens: PendingOpens
  private let settings: DeliverySettings
  private let journal: Journal
  private var connections = HandlerConnections()
  private var isStopped = false

  var onEvent: (Event) -> Void = { _ in }
  /// Records that a process is given a request. The last parameter is called when that is written, and not after
  /// `stop`.
  var recordDelivery: (PendingOpen, Process, @escaping (_ isRecorded: Bool) -> Void) -> Void = {
    $2(true)
  }
  /// Opens the documents of a request.
  var openFiles: (PendingOpen, @escaping (Result<[OwnedDescriptor], NotOpened>) -> Void) -> Void = {
    $1(.success([]))
  }

  init(
    _ session: BusSession, _ direct: PeerServer, _ callers: CallerTable,
    _ processes: ProcessSupervisor, _ opens: PendingOpens, _ settings: DeliverySettings,
    _ journal: Journal
  ) {
    self.session = session
    self.direct = direct
    self.callers = callers
    self.processes = processes
    self.opens = opens
    self.settings = settings
    self.journal = journal
  }

  func stop() { isStopped = true }

  /// The bus is gone: nothing can be known of handlers any more.
  var isCutOff: Bool { session.isStopped }

  // MARK: Connections

  func instance(on connection: String) -> InstanceID? { connections.instance(on: connection) }

  /// The connection on which the instance checked in, or which owns its bus name.
  func connection(of id: InstanceID) -> String? { connections[id]?.connection }

  /// The instance that is known by the bus name of this application, and has not checked in.
  func instance(metAs application: BundleIdentifier) -> InstanceID? {
    connections.instance(metAs: application)
  }

  func isMetByName(_ id: InstanceID) -> Bool { connections[id]?.busApplication != nil }

  func checkedIn(
    _ id: InstanceID, on connection: String, at objectPath: ObjectPath?, wantsDescriptors: Bool
  ) {
    connections.bind(id, to: connection, objectPath: objectPath)
    connections.change(id) {
      $0.busApplication = nil
      $0.wantsDescriptors = wantsDescriptors
    }
  }

  /// The instance owns the bus name of its application.
  func met(_ id: InstanceID, as application: FreedesktopApplication, on connection: String) {
    connections.bind(id, to: connection, objectPath: nil)
    connections.change(id) {
      $0.busApplication = application
      $0.lostNameTimer = nil
    }
  }

  /// An application gives up its bus name when it is about to end.
  /// - Parameter mayEnd: the process is watched and idle, and gets some time to end by itself.
  func lostName(_ id: InstanceID, mayEnd: Bool) {
    connections.unbind(id)
    if let end = connections[id]?.end { return onEvent(.ended(id, end)) }
    guard mayEnd else { return onEvent(.stayedWithoutName(id)) }
    connections.change(id) {
      $0.lostNameTimer = Deadline(after: .seconds(1)) { [weak self] in
        self?.onEvent(.stayedWithoutName(id))
      }
    }
  }

  /// Takes the answers that a process sent on its direct connection before it left the bus.
  func takeLastAnswers(of connection: String) {
    guard let id = connections.instance(on: connection) else { return }
    connections[id]?.direct.flatMap { direct[$0] }?.readAll()
  }

  /// A connection of the bus has gone.
  func left(_ connection: String) {
    guard let id = connections.instance(on: connection) else { return }
    connections.unbind(id)
    onEvent(connections[id]?.end.map { .ended(id, $0) } ?? .connectionLost(id))
  }

  /// A direct connection has closed: further deliveries use the bus.
  func leftDirectly(_ name: String) {
    for id in connections.instances(onDirect: name) { connections.change(id) { $0.direct = nil } }
  }

  /// The process has ended. Its last messages may be on their way still, and a request that it has answered must
  /// not fail; they come before the bus says that the connection has gone.
  /// - Returns: false when nothing can come.
  func awaitLastMessages(of id: InstanceID, _ end: ProcessEnd) -> Bool {
    guard connections[id]?.connection != nil else { return false }
    connections.change(id) {
      $0.end = end
      // A child of the process may have kept the connection.
      $0.lastMessagesTimer = Deadline(after: .seconds(1)) { [weak self] in
        self?.onEvent(.ended(id, end))
      }
    }
    return true
  }

  func awaitsLastMessages(of id: InstanceID) -> Bool { connections[id]?.end != nil }

  func remove(_ id: InstanceID) { connections.remove(id) }

  // MARK: Direct connections

  /// The first call offers a direct connection, the second takes it: only a process that has checked in over the
  /// bus can make both, and the answer to the second comes after all that was sent over the bus.
  /// - Returns: false when the process has offered none.
  func deliverDirectly(_ facts: CallerTable.Facts, on connection: String) throws(BusError) -> Bool {
    if direct[connection] != nil {
      direct.offer(connection)
      return true
    }
    // One that is known by its bus name has said nothing yet.
    guard let id = connections.instance(on: connection), !isMetByName(id) else {
      throw RegistrationFailure.notPermitted("call CheckIn before DeliverDirectly").busError
    }
    let name = direct.offered.last { callers.facts(of: $0).map { $0.own == facts.own } ?? false }
    connections.change(id) { $0.direct = name }
    journal.info(
      name == nil ? "an application offers no direct connection" : "an application hears directly",
      ["application": id.slot.application.text])
    return name != nil
  }

  private func session(of entry: HandlerConnections.Entry) -> BusSession {
    entry.direct.flatMap { direct[$0] } ?? session
  }

  // MARK: Deliveries

  func show(_ visibility: Foreground.Visibility, to id: InstanceID) {
    guard let entry = connections[id], entry.busApplication == nil,
      let connection = entry.connection.flatMap(BusName.init)
    else { return }
    session(of: entry).send(
      .call(
        to: connection, path: entry.objectPath, interface: Contract.application,
        member: "StateChanged", [.string(visibility.rawValue)], expectsReply: false))
  }

  func deliver(_ request: OpenRequest, to id: InstanceID) {
    if isLeaving(id) { return answered(id, request, .notDelivered) }
    guard let open = opens[request.id], let process = processes[id],
      let connection = connections[id]?.connection.flatMap(BusName.init)
    else {
      // The opener was answered before; the handler loses nothing but a URL nobody waits for.
      return answered(id, request, .refused("it is not connected"))
    }
    open.record("delivering", pid: process.pid)
    if open.application.declaration.isDesktopBridge {
      connections.change(id) { $0.bridgedURLs = open.payload.urls }
    }
    record(open, to: id) { [weak self] isRecorded in
      guard isRecorded || !open.isRecorded else {
        // The next daemon would take it for one that nobody was given.
        self?.answered(
          id, request, .refused("it cannot be recorded that it is handed over"))
        return
      }
      self?.withFiles(of: open, for: id) { files in
        switch files {
        case .success(let files): self?.send(open, files, request, to: id, at: connection)
        case .failure(let error): self?.answered(id, request, .refused(error.why))
        }
      }
    }
  }

  /// Records that the process of an instance is given a request.
  /// - Parameter then: called when that is written, and not after `stop`.
  func record(
    _ open: PendingOpen, to id: InstanceID,
    then: @escaping (_ isRecorded: Bool) -> Void = { _ in }
  ) {
    guard let process = processes[id] else { return }
    recordDelivery(open, (process.pid, process.startTime ?? 0), then)
  }

  /// Calls `body` with the documents, opened for an application that wants them so; at once and with none for
  /// others.
  func withFiles(
    of open: PendingOpen, for id: InstanceID,
    _ body: @escaping (Result<[OwnedDescriptor], NotOpened>) -> Void
  ) {
    guard connections[id]?.wantsDescriptors == true else { return body(.success([])) }
    openFiles(open, body)
  }

  /// The URL is what the desktop bridge was given last.
  func wasBridged(_ url: String, to id: InstanceID) -> Bool {
    connections[id]?.bridgedURLs.contains(url) == true
  }

  private func isLeaving(_ id: InstanceID) -> Bool {
    connections[id]?.isLeaving == true || processes[id]?.hasEnded == true
  }

  private func answered(
    _ id: InstanceID, _ request: OpenRequest, _ answer: HandlerLifecycle.Answer
  ) {
    onEvent(.answered(id, request.id, answer))
  }

  private func send(
    _ open: PendingOpen, _ files: [OwnedDescriptor], _ request: OpenRequest, to id: InstanceID,
    at connection: BusName
  ) {
    guard !isStopped else { return }
    guard let entry = connections[id], entry.connection == connection.text, !isLeaving(id) else {
      return answered(id, request, .notDelivered)
    }
    let token = opens.takeActivationToken(request.id)
    let message =
      if let application = entry.busApplication {
        Delivery.message(open, activationToken: token, to: connection, of: application)
      } else {
        Delivery.message(
          open, files, activationToken: token, to: connection, path: entry.objectPath)
      }
    let answersNothing = entry.busApplication != nil
    let isDirect = entry.direct != nil
    let seconds = settings.timeout
    session(of: entry).call(message, deadline: .seconds(seconds)) { [weak self] answer in
      if isDirect, case .failure(let error) = answer, error.isDisconnection {
        self?.lostDirect(request, id)
        return
      }
      self?.answered(
        id, request,
        Delivery.answer(
          answersNothing ? answer.map { _ in [.boolean(true)] } : answer, to: request.kind,
          seconds: seconds))
    }
    if settings.completesWhenInvoked { onEvent(.invoked(request)) }
  }

  /// The direct connection has gone in the middle of a delivery. When that is the end of the process, the bus
  /// says so soon, and says it better.
  private func lostDirect(_ request: OpenRequest, _ id: InstanceID) {
    connections.change(id) {
      $0.directLossTimer = Deadline(after: .seconds(1)) { [weak self] in
        self?.answered(
          id, request, .refused("it closed the connection that it was given it on"))
      }
    }
  }
}
