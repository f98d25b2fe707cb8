internal import ApplicationFolders
internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules
internal import PropertyLists

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
    if let wanted, registry.application(wanted) == nil {
      throw RegistrationFailure.notRegistered("no application \(wanted) is registered").busError
    }
    if let wanted, let objection = registry.objection(to: wanted, for: scheme) {
      throw RegistrationFailure.notPermitted(objection).busError
    }
    try refusing { () throws(RegistryKeeper.Refusal) in try keeper.bind(scheme, to: wanted) }
    change { $0.bind(scheme, to: wanted) }
  }

  func refusing<Result>(
    _ body: () throws(RegistryKeeper.Refusal) -> Result
  ) throws(BusError) -> Result {
    do throws(RegistryKeeper.Refusal) {
      return try body()
    } catch {
      switch error {
      case .invalidBundle(let text): throw RegistrationFailure.invalidBundle(text).busError
      case .notRegistered(let text): throw RegistrationFailure.notRegistered(text).busError
      case .notPermitted(let text): throw RegistrationFailure.notPermitted(text).busError
      case .limitExceeded(let text): throw OpenFailure.limitExceeded(text).busError
      case .notStored(let error): throw .failed("the change could not be stored: \(error)")
      }
    }
  }

  func register(_ path: String, _ definitions: [String: String], _ call: PendingCall) {
    answerLater(call) { [self] in
      let reading = await propertyLists.read(path, definitions)
      do throws(BusError) {
        let application = try refusing { () throws(RegistryKeeper.Refusal) in
          try keeper.register(reading, definitions: definitions)
        }
        // Registering again counts as a new installation (R3.8).
        quotas.reset(application.identifier)
        storeQuotas()
        return .success([.string(application.identifier.text)])
      } catch {
        return .failure(error)
      }
    }
  }

  func unregister(_ name: String, _ call: PendingCall) throws(BusError) {
    let copies = name.hasPrefix("/") ? copies(at: name) : try copies(of: name)
    try refusing { () throws(RegistryKeeper.Refusal) in
      try keeper.unregister(name, copies: copies)
    }
    answerLater(call) { [self] in
      await keeper.settle()
      return .success([])
    }
  }

  private func copies(of name: String) throws(BusError) -> [String] {
    registry.copies(of: try identifier(name, "bundle_id")).map(\.propertyList)
  }

  /// Also what is registered and cannot be read, or is gone.
  private func copies(at path: String) -> [String] {
    ([path] + PropertyListPath.places(in: path)).filter {
      registry.application(at: $0) != nil || keeper.registeredPaths.contains($0)
    }
  }

  func forgetRegistrations(missingOnly: Bool, _ call: PendingCall) throws(BusError) {
    let paths = try refusing { () throws(RegistryKeeper.Refusal) in
      try keeper.forgetRegistrations(missingOnly: missingOnly)
    }
    answerLater(call) { [self] in
      await keeper.settle()
      return .success([.strings(paths)])
    }
  }

  func reload(_ call: PendingCall) {
    answerLater(call) { [self] in
      await keeper.reload()
      return .success([])
    }
  }

  func lint(_ path: String, _ call: PendingCall) {
    answerLater(call) { [self] in
      await propertyLists.lint(path).mapError {
        RegistrationFailure.invalidBundle($0.description).busError
      }.map { diagnostics in
        let entries: [Options] = diagnostics.map {
          [
            "severity": .string($0.severity.rawValue), "file": .string($0.file),
            "key-path": .string($0.keyPath), "problem": .string($0.problem),
            "consequence": .string($0.consequence),
          ]
        }
        return [.optionsList(entries)]
      }
    }
  }

  func describe(_ application: InstalledApplication) -> Options {
    let declaration = application.declaration
    let state = lifecycles.states(of: application.identifier).first
    let pid = state?.instance.flatMap { instances[$0]?.pid } ?? 0
    var entry: Options = [
      "bundle-identifier": .string(application.identifier.text),
      "name": .string(declaration.visibleName),
      "version": .string(declaration.version.description),
      "path": .string(application.propertyList),
      Key.bundle: .string(application.bundle),
      "system": .boolean(application.isSystem),
      "platform": .string(declaration.platform.rawValue),
      "linked-sdk": .string(declaration.linkedSDK.description),
      "schemes": .strings(declaration.urlTypes.flatMap(\.schemes).map(\.text)),
      Key.urlTypes: .optionsList(declaration.urlTypes.map(describe)),
      Key.activationPolicy: .string(declaration.activationPolicy.rawValue),
      "queries-schemes": .strings(declaration.queriesSchemes),
      "scene": .boolean(declaration.usesScenes),
      "state": .string(state.map(lifecycles.stateName) ?? "not running"),
      "pid": .uint32(UInt32(pid)),
      "shortcut-items": .array(
        of: "(ss)",
        shownQuickActions(of: application).map {
          .structure([.string($0.type), .string($0.title)])
        }),
      "diagnostics": .strings(
        keeper.diagnostics(of: application.propertyList).map(\.description)),
    ]
    if let name = declaration.displayName { entry["display-name"] = .string(name) }
    let urlNames = declaration.urlTypes.compactMap(\.name)
    if !urlNames.isEmpty { entry["url-names"] = .strings(urlNames) }
    if let icon = declaration.iconFile { entry[Key.icon] = .string(icon) }
    if declaration.isDesktopBridge { entry[Key.desktopBridge] = .boolean(true) }
    if let team = declaration.team { entry["team"] = .string(team) }
    if !declaration.entitlements.isEmpty {
      entry["entitlements"] = .strings(declaration.entitlements.map(\.rawValue).sorted())
    }
    entry.merge(describe(declaration.documents)) { $1 }
    let chosen = chosenTypes(of: application.identifier)
    if !chosen.isEmpty { entry["chosen-for-types"] = .strings(chosen) }
    if !declaration.associatedDomains.isEmpty {
      entry["associated-domains"] = .strings(declaration.associatedDomains.map(\.text))
    }
    if !declaration.webHosts.isEmpty {
      entry["web-hosts"] = .strings(declaration.webHosts.map(\.text))
    }
    if let executable = Self.executable(of: declaration.program) {
      entry["executable"] = .string(executable)
    }
    return entry
  }

  private func describe(_ type: URLTypeDeclaration) -> Options {
    var entry: Options = [
      "role": .string(type.role.rawValue), "rank": .string(type.rank.rawValue),
      "schemes": .strings(type.schemes.map(\.text)),
    ]
    if let name = type.name { entry["name"] = .string(name) }
    return entry
  }

  private func runningApplications() -> [Options] {
    lifecycles.runningApplications.compactMap { application in
      guard let id = application.instance, instances[id] != nil else { return nil }
      return describe(application, id)
    }
  }

  /// One that runs, or is about to: then without a process.
  func describe(_ state: HandlerLifecycle.State, _ id: InstanceID) -> Options {
    var entry: Options = [
      Key.bundleIdentifier: .string(id.seat.application.text),
      "state": .string(lifecycles.stateName(of: state)),
      "queued": .uint32(UInt32(state.load)),
    ]
    if let application = registry.application(id.seat.application) {
      entry["name"] = .string(application.declaration.visibleName)
      entry[Key.bundle] = .string(application.bundle)
      entry[Key.activationPolicy] = .string(application.declaration.activationPolicy.rawValue)
    }
    guard let instance = instances[id] else { return entry }
    let clock = UInt64(Time.wallClockNanoseconds() / 1000)
    entry[Key.pid] = .uint32(UInt32(instance.pid))
    entry["since"] = .uint64(clock - (Time.monotonicMicroseconds() - instance.since))
    if let unit = instance.unit { entry["unit"] = .string(unit) }
    return entry
  }

  private static func executable(of program: Program) -> String? {
    switch program {
    case .executable(let candidates): candidates.first
    case .arguments(let arguments): arguments.joined(separator: " ")
    case .missing: nil
    }
  }
}
