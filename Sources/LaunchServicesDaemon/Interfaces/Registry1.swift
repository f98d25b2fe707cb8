internal import BusContract
internal import CallerIdentity
internal import DBus
internal import Host
internal import LaunchRules
internal import RegistryLoading

/// The interface `org.launchservices.Registry1`: applications, their handlers and the choices of the user.
/// `DocumentCalls` has the calls about documents.
final class Registry1 {
  private let store: RegistryStore
  private let descriptions: ApplicationDescriptions
  private let documents: DocumentCalls
  private let links: AssociatedDomains
  private let desktopExporter: DesktopExporter
  private let defaultsGuard: DefaultsGuard
  private let desktopImporter: DesktopImporter
  private let remotes: Remotes
  private let applications: ApplicationSubscribers
  private let reading: ReadingSubscribers
  private let devices: Devices
  /// Maximum length of a URL, in bytes.
  private let longest: Int

  init(
    store: RegistryStore, descriptions: ApplicationDescriptions, documents: DocumentCalls,
    links: AssociatedDomains, desktopExporter: DesktopExporter,
    defaultsGuard: DefaultsGuard, desktopImporter: DesktopImporter, remotes: Remotes,
    applications: ApplicationSubscribers,
    reading: ReadingSubscribers, devices: Devices, longest: Int
  ) {
    self.store = store
    self.descriptions = descriptions
    self.documents = documents
    self.links = links
    self.desktopExporter = desktopExporter
    self.defaultsGuard = defaultsGuard
    self.desktopImporter = desktopImporter
    self.remotes = remotes
    self.applications = applications
    self.reading = reading
    self.devices = devices
    self.longest = longest
  }

  func answer(_ content: IncomingCall, of caller: IdentifiedCaller) throws(BusError) -> Reply {
    switch content {
    case .listApplications:
      return .inTurns(
        descriptions.description(
          of: store.registry.identifiers.sorted().lazy.compactMap { [store] in
            store.registry.application($0)
          }))
    case .runningApplications: return .values([.optionsList(descriptions.describeRunning())])
    case .findApplications(let query): return find(query)
    case .handlers(let text): return try handlers(of: try URLScheme(argument: text))
    case .defaultHandler(let text): return try defaultHandler(of: try URLScheme(argument: text))
    case .setDefaultHandler(let text, let name):
      return try setDefaultHandler(of: try URLScheme(argument: text), to: name)
    case .registerApplication(let path, let definitions): return register(path, definitions)
    case .unregisterApplication(let name): return try unregister(name)
    case .forgetRegistrations(let missingOnly):
      let paths = try withBusErrors { () throws(RegistryRefusal) in
        try store.forgetRegistrations(missingOnly: missingOnly)
      }
      return afterSettling(answering: [.strings(paths)])
    case .reload:
      return .later { [store, desktopImporter] in
        async let desktop: Void = desktopImporter.reload()
        await store.reload()
        await desktop
        return []
      }
    case .lint(let path, let definitions): return lint(path, definitions)
    case .setDesktopExport(let isOn):
      do throws(FileError) {
        try desktopExporter.turn(isOn)
      } catch {
        throw .notStored(error)
      }
      return .nothing
    case .setDefaultsGuard(let text):
      guard let policy = DefaultsGuardPolicy(rawValue: text) else {
        throw .invalidArguments(
          "'\(text)' is no policy of the guard; the policies are off, notice and restore")
      }
      do throws(FileError) {
        try defaultsGuard.turn(policy)
      } catch {
        throw .notStored(error)
      }
      return .nothing
    case .watchApplications:
      try applications.add(caller, running: descriptions.running)
      return .nothing
    case .watchReading:
      try reading.add(caller)
      return .nothing
    case .handlersOfDocument, .handlersOfType, .setDefaultHandlerOfType, .setHandlerOfDocument,
      .typeOfDocument:
      return .laterInTurns { [documents] () async throws(BusError) in
        try await documents.answer(content, for: caller.share)
      }
    case .devices(let startsService):
      return .later { [devices] in
        let list = await devices.list(startsService: startsService)
        let entries = list.devices.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        return [
          .optionsList(entries.map(\.dictionary)), .string(list.problem?.sentence ?? ""),
        ]
      }
    case .links(let request): return try links.answer(request, in: store.registry)
    case .remotes(let request): return try remotes.answer(request)
    default:
      throw BusError(.unknownMethod, "\(content) is not a call of \(Contract.registry)")
    }
  }

  // MARK: Handlers

  private func defaultHandler(of scheme: URLScheme) throws(BusError) -> Reply {
    try withBusErrors { () throws(OpenFailure) in
      .values([
        .string(
          try store.registry.handler(of: .init(scheme: scheme), for: nil).application.identifier
            .text)
      ])
    }
  }

  private func setDefaultHandler(of scheme: URLScheme, to name: String) throws(BusError) -> Reply {
    guard !Registry.neverDispatched.contains(scheme) else {
      throw .invalidArguments("the scheme \(scheme) is never dispatched between applications")
    }
    let wanted = name.isEmpty ? nil : try BundleIdentifier(argument: name, "bundle_id")
    try withBusErrors { () throws(RegistryRefusal) in try store.bind(scheme, to: wanted) }
    return .nothing
  }

  /// The handlers of a scheme, each with the reason of its rank.
  private func handlers(of scheme: URLScheme) throws(BusError) -> Reply {
    .later { [store] in
      let handlers = await store.handlers(of: scheme)
      return [.strings(handlers.identifiers), .strings(handlers.reasons)]
    }
  }

  // MARK: Registrations

  private func register(_ path: String, _ definitions: [String: String]) -> Reply {
    .later { [store] () async throws(BusError) in
      do throws(RegistryRefusal) {
        return [.string(try await store.register(path, definitions).text)]
      } catch {
        throw error.busError
      }
    }
  }

  private func unregister(_ name: String) throws(BusError) -> Reply {
    let identifier =
      name.hasPrefix("/") ? nil : try BundleIdentifier(argument: name, "bundle_id")
    try withBusErrors { () throws(RegistryRefusal) in
      if let identifier {
        try store.unregister(identifier)
      } else {
        try store.unregister(path: name)
      }
    }
    return afterSettling(answering: [])
  }

  /// Replies after the registry has applied the change.
  private func afterSettling(answering values: [Value]) -> Reply {
    .later { [store] in
      await store.settle()
      return values
    }
  }

  private func lint(_ path: String, _ definitions: [String: String]) -> Reply {
    .later { [store] () async throws(BusError) in
      do throws(RegistryRefusal) {
        let entries: [Options] = try await store.lint(path, definitions).map {
          [
            "severity": .string($0.severity.rawValue), "file": .string($0.file),
            "key-path": .string($0.keyPath), "problem": .string($0.problem),
            "consequence": .string($0.consequence),
          ]
        }
        return [.optionsList(entries)]
      } catch {
        throw error.busError
      }
    }
  }

  // MARK: Search

  private func find(_ query: ApplicationQuery) -> Reply {
    .laterInTurns { [self] () async throws(BusError) in
      let found = await store.find(try question(query))
      return descriptions.description(of: found, isPage: query.isPaged)
    }
  }

  private func question(_ query: ApplicationQuery) throws(BusError) -> ApplicationSearch.Question {
    switch query {
    case .url(let text, let last):
      let url = try withBusErrors { () throws(OpenFailure) in
        try RequestedURL(text, longest: longest)
      }
      let after =
        last.isEmpty ? nil : try BundleIdentifier(argument: last, "option 'after'")
      return .handlers(url.scheme, url.host, after: after)
    case .identifier(let text):
      return .identifier(try BundleIdentifier(argument: text, "option 'bundle-identifier'"))
    case .name(let name): return .name(name)
    case .path(let path): return .path(path)
    case .after(let text): return .all(after: text)
    }
  }
}

extension ApplicationQuery {
  /// Whether the reply is one page of a longer list.
  fileprivate var isPaged: Bool {
    switch self {
    case .url, .after: true
    case .identifier, .name, .path: false
    }
  }
}
