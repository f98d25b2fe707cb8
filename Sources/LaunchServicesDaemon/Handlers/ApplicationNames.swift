internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import LaunchRules

/// The bus names of the applications that export `org.freedesktop.Application`, and who owns them.
final class ApplicationNames {
  private let session: BusSession
  private var applications: [BundleIdentifier: FreedesktopApplication] = [:]
  private var identifiers: [String: BundleIdentifier] = [:]
  /// Unique names, by well-known name.
  private var owners: [String: String] = [:]
  private var isStarted = false

  /// A name was owned already when it was first looked at.
  var onFound: ((BundleIdentifier, _ owner: String) -> Void)?

  init(_ session: BusSession) { self.session = session }

  var count: Int { applications.count }
  var known: Set<BundleIdentifier> { Set(applications.keys) }

  subscript(_ identifier: BundleIdentifier) -> FreedesktopApplication? { applications[identifier] }

  func owner(of identifier: BundleIdentifier) -> String? {
    applications[identifier].flatMap { owners[$0.name.text] }
  }

  /// The session serves now: owners can be asked for.
  func start() {
    isStarted = true
    for identifier in applications.keys { watch(identifier) }
  }

  /// Looks at the name of an application from now on, or no longer.
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

  /// Whose name it is; nil for all others.
  func changed(_ name: String, owner: String) -> BundleIdentifier? {
    // Before, nobody was asked for owners.
    guard isStarted, let identifier = identifiers[name] else { return nil }
    owners[name] = owner.isEmpty ? nil : owner
    return identifier
  }

  private func watch(_ identifier: BundleIdentifier) {
    guard let application = applications[identifier] else { return }
    session.send(MessageBus.watch(application.name, true))
    session.call(MessageBus.nameOwner(application.name), deadline: .seconds(10)) {
      [weak self] answer in
      // Nobody owns it, or its owner has changed since and that was told.
      guard let self, let owner = (try? answer.get())?.first?.asString,
        applications[identifier] == application, owners[application.name.text] == nil
      else { return }
      owners[application.name.text] = owner
      onFound?(identifier, owner)
    }
  }
}
