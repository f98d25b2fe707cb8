internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules

/// The connections on which instances are spoken to.
final class Instances {
  struct Instance {
    /// Set by its check-in, or by its bus name.
    var connection: String?
    var objectPath = Contract.applicationPath
    /// Its direct connection, where it is spoken to on that.
    var direct: String?
    /// Set while the bus is awaited to say why that has gone.
    var silence: Deadline?
    /// Set while it is spoken to by this interface: it owns its bus name, and has not checked in.
    var named: FreedesktopApplication?
    /// What the desktop bridge was given last.
    var bridged: [String] = []
    /// It gets documents as open files: it is in a sandbox, or wants it so.
    var wantsDescriptors = false
    /// How the process ended, while its last messages are awaited.
    var end: ProcessEnd?
    /// Limits the wait for the last messages of a process that has ended.
    var lastMessagesTimer: Deadline?
    /// Limits how long a process without its bus name may take to end by itself.
    var lostNameTimer: Deadline?
    /// It is about to end, and hears nothing any more.
    var isLeaving: Bool { end != nil || (named != nil && connection == nil) }

    mutating func forgetConnection() {
      connection = nil
      direct = nil
    }
  }

  private(set) var all: [InstanceID: Instance] = [:]
  private var byConnection: [String: InstanceID] = [:]

  subscript(_ id: InstanceID) -> Instance? { all[id] }

  func change(_ id: InstanceID, _ body: (inout Instance) -> Void) {
    guard var instance = all[id] else { return }
    body(&instance)
    all[id] = instance
  }

  func bind(_ id: InstanceID, to connection: String, objectPath: ObjectPath?) {
    unbind(id)
    byConnection[connection] = id
    if all[id] == nil { all[id] = Instance() }
    change(id) {
      $0.connection = connection
      if let objectPath { $0.objectPath = objectPath }
    }
  }

  /// It is not spoken to on its connection any more.
  func unbind(_ id: InstanceID) {
    guard let old = all[id]?.connection else { return }
    byConnection[old] = nil
    change(id) { $0.forgetConnection() }
  }

  /// The one that was met by the bus name of this application.
  func named(_ identifier: BundleIdentifier) -> InstanceID? {
    all.first { $0.key.seat.application == identifier && $0.value.named != nil }?.key
  }

  func instance(on connection: String) -> InstanceID? { byConnection[connection] }

  /// The connection is gone; the process may still be there.
  func disconnect(_ connection: String) -> InstanceID? {
    guard let id = byConnection.removeValue(forKey: connection) else { return nil }
    change(id) { $0.forgetConnection() }
    return id
  }

  func remove(_ id: InstanceID) {
    guard let instance = all.removeValue(forKey: id) else { return }
    if let connection = instance.connection { byConnection[connection] = nil }
  }
}
