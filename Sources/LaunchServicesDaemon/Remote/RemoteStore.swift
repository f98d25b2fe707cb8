internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules

/// The remotes and their rights, in memory and in their file, and how many opens each remote may still request.
final class RemoteStore {
  private let file: StateFile<RemoteState>
  private let perMinute: Int
  private var rights: [RemoteName: RemoteRights]
  private var paces: [RemoteName: OpenPace] = [:]

  /// Maximum number of remotes. Each has a socket with connections of its own.
  nonisolated static let most = 64

  /// - Parameter perMinute: maximum number of opens of one remote within a minute.
  init(_ file: StateFile<RemoteState>, perMinute: Int, _ journal: Journal) {
    self.file = file
    self.perMinute = perMinute
    rights = file.read(journal)?.value ?? [:]
  }

  /// By name.
  var names: [RemoteName] { rights.keys.sorted() }

  /// Nil when there is no such remote.
  subscript(name: RemoteName) -> RemoteRights? { rights[name] }

  func add(_ name: RemoteName) throws(BusError) {
    guard rights[name] == nil else { return }
    guard rights.count < Self.most else {
      throw OpenFailure.limitExceeded("there are \(Self.most) remotes, which is the limit").busError
    }
    try change { $0[name] = RemoteRights() }
  }

  /// - Throws: InvalidArgs, when there is no such remote.
  func remove(_ name: RemoteName) throws(BusError) {
    _ = try existing(name)
    try change { $0[name] = nil }
    paces[name] = nil
  }

  /// - Throws: InvalidArgs, when there is no such remote or a scheme cannot be allowed.
  func choose(
    _ choices: [URLScheme: RemoteRights.Choice], for name: RemoteName
  ) throws(BusError) {
    var new = try existing(name)
    for (scheme, choice) in choices.sorted(by: { $0.key < $1.key }) {
      if choice != .deny, let objection = RemoteRights.objection(toAllowing: scheme) {
        throw .invalidArguments(objection)
      }
      guard new.choose(choice, for: scheme) else {
        throw OpenFailure.limitExceeded(
          "\(name) has \(RemoteRights.mostChanges) choices of schemes, which is the limit"
        ).busError
      }
    }
    try change { $0[name] = new }
  }

  /// - Throws: InvalidArgs, when there is no such remote.
  func setCallbacks(_ areForwarded: Bool, for name: RemoteName) throws(BusError) {
    var new = try existing(name)
    new.forwardsCallbacks = areForwarded
    try change { $0[name] = new }
  }

  private func existing(_ name: RemoteName) throws(BusError) -> RemoteRights {
    guard let rights = rights[name] else {
      throw .invalidArguments(
        "there is no remote \(name.text); 'lsregister remote list' shows the remotes")
    }
    return rights
  }

  private func change(_ body: (inout [RemoteName: RemoteRights]) -> Void) throws(BusError) {
    var new = rights
    body(&new)
    do throws(FileError) {
      try file.write(RemoteState(new))
    } catch {
      throw .notStored(error)
    }
    rights = new
  }

  /// Writes the file again after its removal.
  func storeAgain() throws(FileError) {
    if !rights.isEmpty { try file.write(RemoteState(rights)) }
  }

  /// Counts an open of a remote.
  /// - Throws: LimitExceeded, when the remote has requested too many opens within a minute.
  func countOpen(of name: RemoteName) throws(OpenFailure) {
    var pace = paces[name] ?? OpenPace(perMinute: perMinute)
    let wait = pace.use(at: Time.monotonicMicroseconds())
    paces[name] = pace
    guard let wait else { return }
    throw .limitExceeded(
      "\(name) has requested \(perMinute) opens within a minute, which is the limit"
        + " MaximumRemoteOpens of the settings: try again in \((wait + 999_999) / 1_000_000) s")
  }
}

/// The stored form of the remotes: for each name the choices by scheme.
nonisolated struct RemoteState: Codable, Sendable {
  var remotes: [String: [String: String]] = [:]
  /// The names of the remotes to which callbacks of logins are forwarded; nil for none.
  var callbacks: [String]?

  init(_ rights: [RemoteName: RemoteRights]) {
    for (name, rights) in rights {
      remotes[name.text] = Dictionary(
        uniqueKeysWithValues: rights.changes.map { ($0.text, $1.rawValue) })
    }
    let callbacks = rights.filter(\.value.forwardsCallbacks).keys.sorted().map(\.text)
    if !callbacks.isEmpty { self.callbacks = callbacks }
  }

  /// Drops what is not valid, so that the user is asked instead.
  var value: [RemoteName: RemoteRights] {
    var value: [RemoteName: RemoteRights] = [:]
    for (name, choices) in remotes where value.count < RemoteStore.most {
      guard let name = RemoteName(name) else { continue }
      var rights = RemoteRights()
      rights.forwardsCallbacks = callbacks?.contains(name.text) ?? false
      for (scheme, choice) in choices {
        guard let scheme = URLScheme(scheme), let choice = RemoteRights.Choice(rawValue: choice)
        else { continue }
        _ = rights.choose(choice, for: scheme)
      }
      value[name] = rights
    }
    return value
  }
}
