internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules
internal import ProcessSupervision
internal import RegistryLoading

// The Registry1 interface.

extension Daemon {
  func registryAnswer(_ request: IncomingCall) throws(BusError) -> [Value] {
    switch request {
    case .listApplications: return [try describe(registry.applications)]
    case .runningApplications: return [.optionsList(runningApplications())]
    case .defaultHandler(let text):
      let scheme = try URLScheme(argument: text)
      do throws(OpenFailure) {
        return [.string(try registry.choose(.init(scheme: scheme)).identifier.text)]
      } catch {
        throw error.busError
      }
    case .setDefaultHandler(let text, let name):
      try setDefaultHandler(try URLScheme(argument: text), name)
      return []
    case .setDesktopExport(let isOn):
      do throws(FileError) {
        try desktopExporter.turn(isOn)
      } catch {
        throw .failed("the change could not be stored: \(error)")
      }
      return []
    default: preconditionFailure("\(request) is not a call of Registry1")
    }
  }

  private func setDefaultHandler(_ scheme: URLScheme, _ name: String) throws(BusError) {
    guard !Registry.neverDispatched.contains(scheme) else {
      throw .invalidArguments("the scheme \(scheme) is never dispatched between applications")
    }
    let wanted = name.isEmpty ? nil : try identifier(name, "bundle_id")
    try withBusErrors { () throws(RegistryRefusal) in try store.bind(scheme, to: wanted) }
  }

  func register(_ path: String, _ definitions: [String: String], _ call: PendingCall) {
    server.answerLater(call) { [self] in
      do throws(RegistryRefusal) {
        return .success([.string(try await store.register(path, definitions).text)])
      } catch {
        return .failure(error.busError)
      }
    }
  }

  func unregister(_ name: String, _ call: PendingCall) throws(BusError) {
    let identifier = name.hasPrefix("/") ? nil : try identifier(name, "bundle_id")
    try withBusErrors { () throws(RegistryRefusal) in
      if let identifier {
        try store.unregister(identifier)
      } else {
        try store.unregister(path: name)
      }
    }
    server.answerLater(call) { [store] in
      await store.settle()
      return .success([])
    }
  }

  func forgetRegistrations(missingOnly: Bool, _ call: PendingCall) throws(BusError) {
    let paths = try withBusErrors { () throws(RegistryRefusal) in
      try store.forgetRegistrations(missingOnly: missingOnly)
    }
    server.answerLater(call) { [store] in
      await store.settle()
      return .success([.strings(paths)])
    }
  }

  func reload(_ call: PendingCall) {
    server.answerLater(call) { [store] in
      await store.reload()
      return .success([])
    }
  }

  func lint(_ path: String, _ call: PendingCall) {
    server.answerLater(call) { [store] in
      do throws(RegistryRefusal) {
        let entries: [Options] = try await store.lint(path).map {
          [
            "severity": .string($0.severity.rawValue), "file": .string($0.file),
            "key-path": .string($0.keyPath), "problem": .string($0.problem),
            "consequence": .string($0.consequence),
          ]
        }
        return .success([.optionsList(entries)])
      } catch {
        return .failure(error.busError)
      }
    }
  }

  func describe(_ application: InstalledApplication) -> Options {
    let state = lifecycles.states(of: application.identifier).first
    let chosenTypes = registry.documentChoices.types
      .filter { $0.value == application.identifier }.map(\.key.text).sorted()
    return ApplicationDescription(
      application: application, state: state.map(lifecycles.stateName) ?? "not running",
      pid: state?.instance.flatMap { supervisor[$0]?.pid } ?? 0,
      quickActions: shownQuickActions(of: application),
      diagnostics: store.diagnostics(of: application.propertyList), chosenTypes: chosenTypes
    ).entry
  }

  private func runningApplications() -> [Options] {
    lifecycles.runningApplications.compactMap { application in
      guard let id = application.instance, supervisor[id] != nil else { return nil }
      return describe(application, id)
    }
  }

  /// One that runs, or is about to: then without a process.
  func describe(_ state: HandlerLifecycle.State, _ id: InstanceID) -> Options {
    var entry: Options = [
      Key.bundleIdentifier: .string(id.slot.application.text),
      "state": .string(lifecycles.stateName(of: state)),
      "queued": .uint32(UInt32(state.load)),
    ]
    if let application = registry.application(id.slot.application) {
      entry["name"] = .string(application.declaration.visibleName)
      entry[Key.bundle] = .string(application.bundle)
      entry[Key.activationPolicy] = .string(application.declaration.activationPolicy.rawValue)
    }
    guard let process = supervisor[id] else { return entry }
    let clock = UInt64(Time.wallClockNanoseconds() / 1000)
    entry[Key.pid] = .uint32(UInt32(process.pid))
    entry["since"] = .uint64(clock - (Time.monotonicMicroseconds() - process.since))
    if let unit = process.unit { entry["unit"] = .string(unit) }
    return entry
  }

  // MARK: Finding

  func findApplications(_ query: ApplicationQuery, _ call: PendingCall) {
    server.answerLater(call) { [self] in
      do throws(BusError) {
        let found = await store.find(try question(query))
        return .success([try describe(found, isPage: query.isPaged)])
      } catch {
        return .failure(error)
      }
    }
  }

  private func question(_ query: ApplicationQuery) throws(BusError) -> ApplicationSearch.Question {
    switch query {
    case .url(let text, let last):
      let url: RequestedURL
      do throws(OpenFailure) {
        url = try RequestedURL(text, longest: settings.opens.maximumURLLength)
      } catch {
        throw error.busError
      }
      let after = last.isEmpty ? nil : try identifier(last, "option 'after'")
      return .handlers(url.scheme, url.host, after: after)
    case .identifier(let text):
      return .identifier(try identifier(text, "option 'bundle-identifier'"))
    case .name(let name): return .name(name)
    case .path(let path): return .path(path)
    case .after(let text): return .all(after: text)
    }
  }

  /// Those of a scheme, each with the reason of its place.
  func handlers(_ text: String, _ call: PendingCall) throws(BusError) {
    let scheme = try URLScheme(argument: text)
    server.answerLater(call) { [store] in
      let handlers = await store.handlers(of: scheme)
      return .success([.strings(handlers.identifiers), .strings(handlers.reasons)])
    }
  }

  /// In bytes. D-Bus has no larger arrays than 64 MiB: who sends one loses his connection.
  private static let largestAnswer = 32 << 20
  private static let largestPage = 4 << 20

  /// What the user is shown of applications.
  /// - Parameter isPage: As many of them as make a message of a few megabytes; at least one.
  func describe(
    _ applications: [InstalledApplication], isPage: Bool = false
  ) throws(BusError) -> Value {
    let chosen = registry.documentChoices.filesByApplication
    var (entries, size): ([Options], Int) = ([], 0)
    for application in applications {
      var entry = describe(application)
      entry["chosen-for-files"] = chosen[application.identifier].map(Value.strings)
      size += Value.options(entry).byteCount
      if isPage, size > Self.largestPage, !entries.isEmpty { break }
      guard size <= Self.largestAnswer else {
        throw OpenFailure.limitExceeded(
          "what is known of these applications takes more than \(Self.largestAnswer) bytes; ask"
            + " FindApplications with the option 'after'"
        ).busError
      }
      entries.append(entry)
    }
    return .optionsList(entries)
  }
}

extension ApplicationQuery {
  /// Its answer is one of several pages.
  fileprivate var isPaged: Bool {
    switch self {
    case .url, .after: true
    case .identifier, .name, .path: false
    }
  }
}
