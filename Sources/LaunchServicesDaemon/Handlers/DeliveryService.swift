internal import BusContract
internal import CallerIdentity
internal import DBus
internal import DBusMainLoop
internal import DaemonSettings
internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// Delivers requests to the processes of applications, over the bus or over a direct connection.
final class DeliveryService {
  enum Event {
    case answered(InstanceID, RequestID, HandlerLifecycle.Answer)
    /// The request was sent, and its opener wants the answer at that time (R4.3).
    case invoked(OpenRequest)
    case connectionLost(InstanceID)
    /// The process released its bus name and has not ended.
    case stayedWithoutName(InstanceID)
    /// The process has ended, and all its messages have been read.
    case ended(InstanceID, ProcessEnd)
  }

  typealias Process = (pid: Int32, startTime: UInt64)
  typealias OpenFiles =
    (PendingOpen, @escaping (Result<[OwnedDescriptor], NotOpened>) -> Void) -> Void

  private let session: BusSession
  private let direct: PeerServer
  private let callers: CallerTable
  private let processes: ProcessSupervisor
  private let opens: PendingOpens
  private let settings: DeliverySettings
  private let journal: Journal
  /// Opens the documents of a request.
  private let openFiles: OpenFiles
  private var connections = HandlerConnections()
  private var isStopped = false

  var onEvent: (Event) -> Void = { _ in }
  /// Records that a process receives a request. The closure parameter is called when the record is written,
  /// but not after `stop`.
  var recordDelivery: (PendingOpen, Process, @escaping (_ isRecorded: Bool) -> Void) -> Void = {
    $2(true)
  }

  init(
    _ session: BusSession, _ direct: PeerServer, _ callers: CallerTable,
    _ processes: ProcessSupervisor, _ opens: PendingOpens, _ settings: DeliverySettings,
    _ journal: Journal, openFiles: @escaping OpenFiles
  ) {
    self.session = session
    self.direct = direct
    self.callers = callers
    self.processes = processes
    self.opens = opens
    self.settings = settings
    self.journal = journal
    self.openFiles = openFiles
  }

  func stop() { isStopped = true }

  /// Whether the bus connection is lost. Without the bus the daemon cannot learn the state of handlers.
  var isDisconnected: Bool { session.isStopped }

  // MARK: Connections

  /// Whether a handler has checked in on the connection, or is reached on it.
  func uses(_ connection: String) -> Bool { connections.uses(connection) }

  func instance(on connection: String) -> InstanceID? { connections.instance(on: connection) }

  /// The connection on which the instance checked in, or which owns the bus name of the application.
  func connection(of id: InstanceID) -> String? { connections[id]?.connection }

  /// The instance that is known by the bus name of this application and has not checked in.
  func instance(metAs application: BundleIdentifier) -> InstanceID? {
    connections.instance(metAs: application)
  }

  func isMetByName(_ id: InstanceID) -> Bool { connections[id]?.busApplication != nil }

  func checkedIn(
    _ id: InstanceID, on connection: String, at objectPath: ObjectPath?, wantsDescriptors: Bool
  ) {
    connections.bind(id, to: connection, objectPath: objectPath)
    // Without a bus, the handler has checked in on a direct connection, and is reached by no other.
    if direct[connection] != nil { direct.offer(connection) }
    connections.change(id) {
      $0.busApplication = nil
      $0.wantsDescriptors = wantsDescriptors
    }
  }

  /// Records that the instance owns the bus name of its application.
  func met(_ id: InstanceID, as application: FreedesktopApplication, on connection: String) {
    connections.bind(id, to: connection, objectPath: nil)
    connections.change(id) {
      $0.busApplication = application
      $0.lostNameTimer = nil
    }
  }

  /// Handles the release of the bus name. An application releases its bus name shortly before it ends.
  /// - Parameter mayEnd: the process is supervised and idle, and gets time to end without SIGTERM.
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

  /// Reads the remaining answers on the direct connection of a process that has left the bus.
  func takeLastAnswers(of connection: String) {
    guard let id = connections.instance(on: connection) else { return }
    connections[id]?.direct.flatMap { direct[$0] }?.readAll()
  }

  /// Handles the closing of a bus connection.
  func left(_ connection: String) {
    guard let id = connections.instance(on: connection) else { return }
    connections.unbind(id)
    onEvent(connections[id]?.end.map { .ended(id, $0) } ?? .connectionLost(id))
  }

  /// Handles the closing of a direct connection. Further deliveries use the bus.
  func leftDirectly(_ name: String) {
    for id in connections.instances(onDirect: name) { connections.change(id) { $0.direct = nil } }
  }

  /// Waits for the last messages of a process that has ended, so that a request that the process has answered
  /// does not fail. These messages arrive before the bus reports that the connection has closed.
  /// - Returns: false when no message can arrive.
  func awaitLastMessages(of id: InstanceID, _ end: ProcessEnd) -> Bool {
    guard connections[id]?.connection != nil else { return false }
    connections.change(id) {
      $0.end = end
      // A child of the process may have inherited the connection and keep it open.
      $0.lastMessagesTimer = Deadline(after: .seconds(1)) { [weak self] in
        self?.onEvent(.ended(id, end))
      }
    }
    return true
  }

  func awaitsLastMessages(of id: InstanceID) -> Bool { connections[id]?.end != nil }

  func remove(_ id: InstanceID) { connections.remove(id) }

  // MARK: Direct connections

  /// Sets up a direct connection in two calls: the first call offers the connection, the second call confirms
  /// its use. Only a process that has checked in over the bus can make both calls, and the reply to the
  /// second call follows all messages that were sent over the bus.
  /// - Returns: false when the process has not offered a direct connection.
  func deliverDirectly(_ facts: CallerTable.Facts, on connection: String) throws(BusError) -> Bool {
    if direct[connection] != nil {
      direct.offer(connection)
      return true
    }
    // A process that is known by its bus name only has not identified itself by a check-in.
    guard let id = connections.instance(on: connection), !isMetByName(id) else {
      throw RegistrationFailure.notPermitted("call CheckIn before DeliverDirectly").busError
    }
    let name = direct.offered.last { callers.facts(of: $0).map { $0.own == facts.own } ?? false }
    connections.change(id) { $0.direct = name }
    journal.info(
      name == nil
        ? "an application offers no direct connection: deliveries go over the bus"
        : "deliveries to an application use its direct connection",
      ["application": id.slot.application.text])
    return name != nil
  }

  private func session(of entry: HandlerConnections.Entry) -> BusSession {
    directSession(of: entry) ?? session
  }

  /// Nil for a handler that is reached over the bus.
  private func directSession(of entry: HandlerConnections.Entry) -> BusSession? {
    (entry.direct ?? entry.connection).flatMap { direct[$0] }
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
      // The opener has its answer already. Only a URL without a waiting opener is lost.
      return answered(id, request, .refused("the application is not connected to the bus"))
    }
    open.record("delivering", pid: process.pid)
    if open.receiver.application?.declaration.isDesktopBridge == true {
      connections.change(id) { $0.bridgedURLs = open.payload.urls }
    }
    record(open, to: id) { [weak self] isRecorded in
      guard isRecorded || !open.isRecorded else {
        self?.refuseUnrecorded(request, to: id)
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

  /// Refuses a delivery that could not be recorded, although its request is in the record. Without the record
  /// of the delivery, the next daemon would deliver the request again.
  func refuseUnrecorded(_ request: OpenRequest, to id: InstanceID) {
    answered(id, request, .refused("the delivery could not be recorded"))
  }

  /// Records that the process of an instance receives a request.
  /// - Parameter then: called when the record is written, but not after `stop`.
  func record(
    _ open: PendingOpen, to id: InstanceID,
    then: @escaping (_ isRecorded: Bool) -> Void = { _ in }
  ) {
    guard let process = processes[id] else { return }
    recordDelivery(open, (process.pid, process.startTime ?? 0), then)
  }

  /// Calls `body` with descriptors of the documents if the application receives documents as descriptors;
  /// otherwise calls `body` immediately with an empty list.
  func withFiles(
    of open: PendingOpen, for id: InstanceID,
    _ body: @escaping (Result<[OwnedDescriptor], NotOpened>) -> Void
  ) {
    guard connections[id]?.wantsDescriptors == true else { return body(.success([])) }
    openFiles(open, body)
  }

  /// Whether the URL is among those last passed to the desktop bridge.
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
    let isDirect = directSession(of: entry) != nil
    let seconds = settings.timeout
    session(of: entry).call(message, deadline: .seconds(seconds)) { [weak self] answer in
      if isDirect, case .failure(let error) = answer, error.isDisconnection {
        self?.lostDirect(request, id)
        return
      }
      if answersNothing, answer.isReturn {
        self?.answered(id, request, .handled(true))
        return
      }
      self?.answered(
        id, request,
        Delivery.answer(
          answer, to: request.kind, count: max(1, open.payload.urls.count), seconds: seconds))
    }
    if settings.completesWhenInvoked { onEvent(.invoked(request)) }
  }

  /// Handles the loss of the direct connection during a delivery. If the process has ended, the bus reports
  /// the end soon, with a better reason.
  private func lostDirect(_ request: OpenRequest, _ id: InstanceID) {
    connections.change(id) {
      $0.directLossTimer = Deadline(after: .seconds(1)) { [weak self] in
        self?.answered(
          id, request, .refused("the application closed the direct connection during the delivery"))
      }
    }
  }
}

extension Result where Success == [Value], Failure == BusError {
  /// Whether the method returned, with whatever values.
  fileprivate var isReturn: Bool {
    switch self {
    case .success, .failure(.replyTooLarge): true
    case .failure: false
    }
  }
}
