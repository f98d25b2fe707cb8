internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules

/// Answers the calls about remotes, and keeps the sockets in accordance with the list of remotes.
final class Remotes {
  private let store: RemoteStore
  private let sockets: RemoteSockets
  private let callbacks: LoginCallbacks
  /// A daemon without a bus cannot open anything, and makes no sockets.
  private let hasBus: Bool
  private let journal: Journal
  /// Called when the user has denied schemes to a remote.
  var onDenial: (RemoteName, Set<URLScheme>) -> Void = { _, _ in }
  /// Called when the user has removed a remote.
  var onRemoval: (RemoteName) -> Void = { _ in }

  init(
    _ store: RemoteStore, _ sockets: RemoteSockets, _ callbacks: LoginCallbacks, hasBus: Bool,
    _ journal: Journal
  ) {
    self.store = store
    self.sockets = sockets
    self.callbacks = callbacks
    self.hasBus = hasBus
    self.journal = journal
  }

  /// Makes the sockets of all remotes.
  func start() {
    guard hasBus else { return }
    callbacks.endEarlier()
    for name in store.names {
      do throws(BusError) {
        _ = try sockets.open(name)
      } catch {
        journal.error(
          "the socket of a remote cannot be created", ["remote": name.text, "reason": error.text])
      }
    }
  }

  func answer(_ request: RemoteCall) throws(BusError) -> Reply {
    switch request {
    case .list: return .values([.optionsList(store.names.map(describe))])
    case .add(let name):
      guard hasBus else {
        throw BusError(.notSupported, AccessRule.hasNoBus)
      }
      let isNew = store[name] == nil
      let path = try sockets.open(name)
      do throws(BusError) {
        try store.add(name)
      } catch {
        if isNew { sockets.close(name) }
        throw error
      }
      if isNew { journal.notice("a remote was added", ["remote": name.text, "socket": path]) }
      return .values([.string(path)])
    case .remove(let name):
      try store.remove(name)
      sockets.close(name)
      onRemoval(name)
      journal.notice("a remote was removed", ["remote": name.text])
      return endingCallbacks(of: name)
    case .choose(let name, let choices):
      try store.choose(choices, for: name)
      let denied = Set(choices.filter { $0.value == .deny }.keys)
      if !denied.isEmpty { onDenial(name, denied) }
      return .nothing
    case .setCallbacks(let name, let areForwarded):
      try store.setCallbacks(areForwarded, for: name)
      return areForwarded ? .nothing : endingCallbacks(of: name)
    case .setRules(let name, let subjects, let areSent):
      try store.setRules(subjects, areSent: areSent, for: name)
      return .nothing
    }
  }

  private func endingCallbacks(of name: RemoteName) -> Reply {
    .later { [callbacks] () async throws(BusError) in
      await callbacks.endAll(of: name)
      return []
    }
  }

  private func describe(_ name: RemoteName) -> Options {
    let rights = store[name] ?? RemoteRights()
    var description: Options = [
      Key.name: .string(name.text), Key.path: .string(sockets.path(of: name) ?? ""),
      Key.allowedSchemes: .strings(rights.allowed.map(\.text)),
      Key.deniedSchemes: .strings(rights.denied.map(\.text)),
      Key.connections: .uint32(UInt32(sockets.connections(of: name))),
      Key.forwardsCallbacks: .boolean(rights.forwardsCallbacks),
      Key.sent: .strings(store.rules.subjects(of: name).map(\.description)),
    ]
    description[Key.problem] = sockets.problem(of: name).map { .string($0) }
    return description
  }
}
