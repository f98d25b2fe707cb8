internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules

/// An accepted open whose fate is not known yet.
struct PendingOpen {
  /// What is handed over.
  enum Payload {
    case url(String)
    case quickAction(type: String)
  }

  let payload: Payload
  let handler: BundleIdentifier
  let options: OpenOptions
  /// `sourceApplication` of the delivery (R5.23).
  let source: BundleIdentifier?
  let call: PendingCall
  var pid: Int32 = 0
  var trail: [Receipt.Step] = []
}

/// All opens whose fate is not known yet.
final class PendingOpens {
  private var opens: [RequestID: PendingOpen] = [:]
  private var byCancellation: [Cancellation: RequestID] = [:]
  private var lastRequest: UInt64 = 0

  private struct Cancellation: Hashable {
    var sender: String
    var id: String
  }

  func nextRequest() -> RequestID {
    lastRequest += 1
    return RequestID(lastRequest)
  }

  subscript(_ id: RequestID) -> PendingOpen? { opens[id] }

  func add(_ id: RequestID, _ open: PendingOpen) {
    opens[id] = open
    if let cancellation = cancellation(of: open) { byCancellation[cancellation] = id }
    note(id, "resolved")
  }

  func note(_ id: RequestID, _ state: String, pid: Int32? = nil) {
    guard opens[id] != nil else { return }
    opens[id]?.trail.append(.init(state, at: Time.monotonicMicroseconds()))
    if let pid { opens[id]?.pid = pid }
  }

  /// Takes it out, to be answered.
  func settle(_ id: RequestID) -> PendingOpen? {
    guard let open = opens.removeValue(forKey: id) else { return nil }
    if let cancellation = cancellation(of: open) { byCancellation[cancellation] = nil }
    return open
  }

  func find(sender: String, cancellationID: String) -> RequestID? {
    byCancellation[Cancellation(sender: sender, id: cancellationID)]
  }

  func settleAll() -> [PendingOpen] {
    defer {
      opens = [:]
      byCancellation = [:]
    }
    return opens.sorted { $0.key < $1.key }.map(\.value)
  }

  private func cancellation(of open: PendingOpen) -> Cancellation? {
    open.options.cancellationID.map { Cancellation(sender: open.call.sender, id: $0) }
  }
}
