internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules

/// The connections on which instances are spoken to.
struct HandlerConnections {
  struct Entry {
    /// Set by a check-in or by the bus name; nil when it has gone.
    var connection: String?
    var objectPath = Contract.applicationPath
    /// The direct connection, where the instance is spoken to on that.
    var direct: String?
    /// Limits the wait for the bus to say why a direct connection has gone.
    var directLossTimer: Deadline?
    /// The interface of an instance that owns its bus name and has not checked in.
    var busApplication: FreedesktopApplication?
    /// What the desktop bridge was given last.
    var bridgedURLs: [String] = []
    /// It gets documents as open files.
    var wantsDescriptors = false
    /// How the process ended, while its last messages are awaited.
    var end: ProcessEnd?
    /// Limits the wait for the last messages of a process that has ended.
    var lastMessagesTimer: Deadline?
    /// Limits how long a process without its bus name may take to end by itself.
    var lostNameTimer: Deadline?

    /// Nothing is delivered to it any more.
    var isLeaving: Bool { end != nil || (busApplication != nil && connection == nil) }
  }

  private var entries: [InstanceID: Entry] = [:]
  private var byConnection: [String: InstanceID] = [:]

  subscript(_ id: InstanceID) -> Entry? { entries[id] }

  func instance(on connection: String) -> InstanceID? { byConnection[connection] }

  /// The instance that is known by the bus name of this application.
  func instance(metAs application: BundleIdentifier) -> InstanceID? {
    entries.first { $0.key.slot.application == application && $0.value.busApplication != nil }?.key
  }

  func instances(onDirect name: String) -> [InstanceID] {
    entries.filter { $0.value.direct == name }.map(\.key)
  }

  mutating func change(_ id: InstanceID, _ body: (inout Entry) -> Void) {
    guard var entry = entries[id] else { return }
    body(&entry)
    entries[id] = entry
  }

  mutating func bind(_ id: InstanceID, to connection: String, objectPath: ObjectPath?) {
    unbind(id)
    byConnection[connection] = id
    var entry = entries[id] ?? Entry()
    entry.connection = connection
    if let objectPath { entry.objectPath = objectPath }
    entries[id] = entry
  }

  mutating func unbind(_ id: InstanceID) {
    guard let connection = entries[id]?.connection else { return }
    byConnection[connection] = nil
    change(id) { ($0.connection, $0.direct) = (nil, nil) }
  }

  mutating func remove(_ id: InstanceID) {
    unbind(id)
    entries[id] = nil
  }
}
