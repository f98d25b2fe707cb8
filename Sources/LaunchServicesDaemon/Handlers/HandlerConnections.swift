internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules

/// The connections to handler instances.
struct HandlerConnections {
  struct Entry {
    /// Set by a check-in or an owned bus name; nil after the connection closed.
    var connection: String?
    var objectPath = Contract.applicationPath
    /// The name of the direct connection, if the daemon sends to the instance over one.
    var direct: String?
    /// Timeout for the bus to report why a direct connection closed.
    var directLossTimer: Deadline?
    /// The interface of an instance that owns its bus name and has not checked in.
    var busApplication: FreedesktopApplication?
    /// The URLs last passed to the desktop bridge.
    var bridgedURLs: [String] = []
    /// Whether the instance receives documents as file descriptors.
    var wantsDescriptors = false
    /// How the process ended, while the daemon waits for its last messages.
    var end: ProcessEnd?
    /// Timeout for the last messages of a process that has ended.
    var lastMessagesTimer: Deadline?
    /// Time for a process that lost its bus name to end without SIGTERM.
    var lostNameTimer: Deadline?

    /// Whether the daemon delivers nothing more to the instance.
    var isLeaving: Bool { end != nil || (busApplication != nil && connection == nil) }
  }

  private var entries: [InstanceID: Entry] = [:]
  private var byConnection: [String: InstanceID] = [:]

  subscript(_ id: InstanceID) -> Entry? { entries[id] }

  func instance(on connection: String) -> InstanceID? { byConnection[connection] }

  /// The instance that is known by the bus name of this application and has not checked in.
  func instance(metAs application: BundleIdentifier) -> InstanceID? {
    entries.first { $0.key.slot.application == application && $0.value.busApplication != nil }?.key
  }

  func instances(onDirect name: String) -> [InstanceID] {
    entries.filter { $0.value.direct == name }.map(\.key)
  }

  /// Whether a handler has checked in on the connection, or is reached on it.
  func uses(_ connection: String) -> Bool {
    byConnection[connection] != nil || entries.values.contains { $0.direct == connection }
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
