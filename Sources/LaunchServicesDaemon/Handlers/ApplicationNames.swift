internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import LaunchRules

/// The bus names of the applications that export `org.freedesktop.Application`, and the owners of these
/// names.
final class ApplicationNames {
  private let session: BusSession
  private var applications: [BundleIdentifier: FreedesktopApplication] = [:]
  private var identifiers: [String: BundleIdentifier] = [:]
  /// Unique names, by well-known name.
  private var owners: [String: String] = [:]
  private var isStarted = false

  /// Called for a name that already had an owner when the daemon first asked for the owner.
  var onFound: ((BundleIdentifier, _ owner: String) -> Void)?

  init(_ session: BusSession) { self.session = session }

  var count: Int { applications.count }
  var known: Set<BundleIdentifier> { Set(applications.keys) }

  subscript(_ identifier: BundleIdentifier) -> FreedesktopApplication? { applications[identifier] }

  func owner(of identifier: BundleIdentifier) -> String? {
    applications[identifier].flatMap { owners[$0.name.text] }
  }

  /// Starts to ask the bus for owners. Call when the session is connected.
  func start() {
    isStarted = true
    for identifier in applications.keys { watch(identifier) }
  }

  /// Starts or stops watching the bus name of an application.
  func update(_ identifier: BundleIdentifier, _ application: InstalledApplication?) {
    let wanted = application.flatMap {
      $0.declaration.isDBusActivatable ? FreedesktopApplication($0.identifier) : nil
    }
    let old = applications[identifier]
    guard wanted != old else { return }
    if let old {
      owners[old.name.text] = nil
      identifiers[old.name.text] = nil
      if isStarted { session.send(MessageBus.watch(old.name, false)) }
    }
    applications[identifier] = wanted
    guard let wanted else { return }
    identifiers[wanted.name.text] = identifier
    if isStarted { watch(identifier) }
  }

  /// Records a new owner of a name. Returns the application of the name, or nil for other names.
  func changed(_ name: String, owner: String) -> BundleIdentifier? {
    // Before `start`, no owners were queried.
    guard isStarted, let identifier = identifiers[name] else { return nil }
    owners[name] = owner.isEmpty ? nil : owner
    return identifier
  }

  private func watch(_ identifier: BundleIdentifier) {
    guard let application = applications[identifier] else { return }
    session.send(MessageBus.watch(application.name, true))
    session.call(MessageBus.nameOwner(application.name), deadline: .seconds(10)) {
      [weak self] answer in
      // Skips names without owner, and names with a newer owner that `changed` has already recorded.
      guard let self, let owner = (try? answer.get())?.first?.asString,
        applications[identifier] == application, owners[application.name.text] == nil
      else { return }
      owners[application.name.text] = owner
      onFound?(identifier, owner)
    }
  }
}
