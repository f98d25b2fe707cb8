internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules

/// The remotes with their rights and the rules that send URLs to them, in memory and in their file.
final class RemoteStore {
  private let file: StateFile<RemoteState>
  private var rights: [RemoteName: RemoteRights]
  /// The rules that send URLs to remotes.
  private(set) var rules: MachineRules

  /// Maximum number of remotes. Each has a socket with connections of its own.
  nonisolated static let most = 64

  init(_ file: StateFile<RemoteState>, _ journal: Journal) {
    self.file = file
    let state = file.read(journal)
    rights = state?.value ?? [:]
    rules = state?.rules(of: rights.keys) ?? MachineRules()
  }

  /// By name.
  var names: [RemoteName] { rights.keys.sorted() }

  /// Nil when there is no such remote.
  subscript(name: RemoteName) -> RemoteRights? { rights[name] }

  /// - Throws: InvalidArgs for the name of another remote in another case, because ssh and users take both for one host.
  func add(_ name: RemoteName) throws(BusError) {
    guard rights[name] == nil else { return }
    if let other = rights.keys.first(where: { $0.differsInCaseOnly(from: name) }) {
      throw .invalidArguments(
        "the remote \(other.text) has this name in another case; use \(other.text), or remove it first:"
          + " lsregister remote remove \(other.text)")
    }
    guard rights.count < Self.most else {
      throw OpenFailure.limitExceeded("there are \(Self.most) remotes, which is the limit").busError
    }
    try change { $0[name] = RemoteRights(generation: String(randomToken().prefix(16))) }
  }

  /// - Throws: InvalidArgs, when there is no such remote.
  func remove(_ name: RemoteName) throws(BusError) {
    _ = try existing(name)
    try change({ $0[name] = nil }, rules: { $0.forget(name) })
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

  /// - Throws: InvalidArgs, when there is no such remote, URLs cannot be sent, or there is no rule to be ended.
  func setRules(
    _ subjects: [MachineRules.Subject], areSent: Bool, for name: RemoteName
  ) throws(BusError) {
    _ = try existing(name)
    var new = rules
    for subject in subjects {
      guard areSent else {
        guard new.keep(subject, from: name) else {
          throw .invalidArguments(
            "no rule sends \(subject) to \(name.text); 'lsregister remote list' shows the rules")
        }
        continue
      }
      if let objection = MachineRules.objection(toSending: subject) {
        throw .invalidArguments(objection)
      }
      guard new.send(subject, to: name) else {
        throw OpenFailure.limitExceeded(
          "there are \(MachineRules.most) rules that send URLs to machines, which is the limit"
        ).busError
      }
    }
    try change({ _ in }, rules: { $0 = new })
  }

  private func existing(_ name: RemoteName) throws(BusError) -> RemoteRights {
    guard let rights = rights[name] else {
      throw .invalidArguments(
        "there is no remote \(name.text); 'lsregister remote list' shows the remotes, and 'lsregister remote add"
          + " \(name.text)' adds one")
    }
    return rights
  }

  private func change(
    _ body: (inout [RemoteName: RemoteRights]) -> Void,
    rules change: (inout MachineRules) -> Void = { _ in }
  ) throws(BusError) {
    var (newRights, newRules) = (rights, rules)
    body(&newRights)
    change(&newRules)
    do throws(FileError) {
      try file.write(RemoteState(newRights, newRules))
    } catch {
      throw .notStored(error)
    }
    (rights, rules) = (newRights, newRules)
  }

  /// Writes the file again after its removal.
  func storeAgain() throws(FileError) {
    if !rights.isEmpty { try file.write(RemoteState(rights, rules)) }
  }

}

/// The stored form of the remotes: for each name the choices by scheme, and the rules that send URLs to them.
nonisolated struct RemoteState: Codable, Sendable {
  var remotes: [String: [String: String]] = [:]
  /// By name; nil when an earlier version has made all remotes.
  var generations: [String: String]?
  /// The names of the remotes to which callbacks of logins are forwarded; nil for none.
  var callbacks: [String]?
  /// The names of machines, by the schemes and hosts whose URLs are sent there; nil for none.
  var rules: [String: String]?

  init(_ rights: [RemoteName: RemoteRights], _ rules: MachineRules) {
    for (name, rights) in rights {
      remotes[name.text] = Dictionary(
        uniqueKeysWithValues: rights.changes.map { ($0.text, $1.rawValue) })
    }
    let generations = rights.filter { !$1.generation.isEmpty }
    if !generations.isEmpty {
      self.generations = Dictionary(
        uniqueKeysWithValues: generations.map { ($0.text, $1.generation) })
    }
    let callbacks = rights.filter(\.value.forwardsCallbacks).keys.sorted().map(\.text)
    if !callbacks.isEmpty { self.callbacks = callbacks }
    let machines = rules.all.map { ($0.subject.description, $0.machine.text) }
    if !machines.isEmpty { self.rules = Dictionary(uniqueKeysWithValues: machines) }
  }

  /// Drops what is not valid, so that the URLs are opened here.
  func rules(of names: some Collection<RemoteName>) -> MachineRules {
    var valid = MachineRules()
    for (subject, machine) in rules ?? [:] {
      guard let subject = MachineRules.Subject(subject), let name = RemoteName(machine),
        names.contains(name)
      else { continue }
      _ = valid.send(subject, to: name)
    }
    return valid
  }

  /// Drops what is not valid, so that the user is asked instead.
  var value: [RemoteName: RemoteRights] {
    var value: [RemoteName: RemoteRights] = [:]
    for (name, choices) in remotes where value.count < RemoteStore.most {
      guard let name = RemoteName(name) else { continue }
      var rights = RemoteRights(generation: generations?[name.text] ?? "")
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
