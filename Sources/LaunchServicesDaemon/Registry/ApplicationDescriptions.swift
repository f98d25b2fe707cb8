internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// Describes applications and their processes for callers, from the registry, the lifecycles, the processes and the
/// quick actions.
final class ApplicationDescriptions {
  private let store: RegistryStore
  private let processes: ProcessSupervisor
  private let quickActions: DynamicQuickActions
  private let receivers: ReceivingProcesses
  /// Returns the current lifecycles.
  private let lifecycles: () -> LifecycleTable

  /// In bytes. D-Bus limits arrays to 64 MiB; a larger array closes the connection.
  private static let largestAnswer = 32 << 20
  private static let largestPage = 4 << 20
  /// Number of applications described in one turn of the caller.
  private static let mostPerStep = 16

  init(
    _ store: RegistryStore, _ processes: ProcessSupervisor, _ quickActions: DynamicQuickActions,
    _ receivers: ReceivingProcesses, lifecycles: @escaping () -> LifecycleTable
  ) {
    self.store = store
    self.processes = processes
    self.quickActions = quickActions
    self.receivers = receivers
    self.lifecycles = lifecycles
  }

  /// Whether starts and ends of the application are reported (R6.11).
  func isRegular(_ identifier: BundleIdentifier) -> Bool {
    store.registry.application(identifier)?.declaration.activationPolicy == .regular
  }

  /// The applications that run or are being launched.
  var running: [HandlerLifecycle.State] { lifecycles().runningApplications }

  /// Describes the applications that have a process. For an application of the desktop, the process is the one that got a
  /// URL last, and not the process that passed the URL on.
  func describeRunning() -> [Options] {
    var queued: [BundleIdentifier: Int] = [:]
    let own: [Options] = running.compactMap { state in
      guard let id = state.instance, let process = processes[id] else { return nil }
      let application = store.registry.application(id.slot.application)
      // An application that was removed may still be served by a process that passes URLs on.
      guard application?.isStartedByBridge ?? Self.isBridge(process.pid) else {
        return describe(state, id)
      }
      queued[id.slot.application] = state.load
      return nil
    }
    let received = receivers.applications.compactMap { identifier -> Options? in
      guard let receiver = receivers.receiver(of: identifier) else { return nil }
      var entry = describe(identifier, state: Self.running, queued: queued[identifier] ?? 0)
      entry[Key.pid] = .uint32(UInt32(receiver.pid))
      entry["since"] = .uint64(receiver.since)
      return entry
    }
    return own + received
  }

  private static func isBridge(_ pid: Int32) -> Bool {
    let path = ProcessDetails(of: pid)?.executable?.path
    return path?.split(separator: "/").last.map(String.init) == DesktopBridge.program
  }

  /// The state of an application of the desktop of which a process is known.
  private static let running = "running"
  /// The state of an application of the desktop of which no process is known: the user may have started one.
  private static let unknown = "unknown"

  private func describe(
    _ identifier: BundleIdentifier, state: String, queued: Int
  ) -> Options {
    var entry: Options = [
      Key.bundleIdentifier: .string(identifier.text), "state": .string(state),
      "queued": .uint32(UInt32(queued)),
    ]
    if let application = store.registry.application(identifier) {
      entry["name"] = .string(application.declaration.visibleName)
      entry[Key.bundle] = .string(application.bundle)
      entry[Key.activationPolicy] = .string(application.declaration.activationPolicy.rawValue)
    }
    return entry
  }

  /// Describes a running application, or one that is being launched and has no process yet.
  func describe(_ state: HandlerLifecycle.State, _ id: InstanceID) -> Options {
    var entry = describe(
      id.slot.application, state: lifecycles().stateName(of: state), queued: state.load)
    guard let process = processes[id] else { return entry }
    let clock = UInt64(Time.wallClockNanoseconds() / 1000)
    entry[Key.pid] = .uint32(UInt32(process.pid))
    entry["since"] = .uint64(clock - (Time.monotonicMicroseconds() - process.since))
    if let unit = process.unit { entry["unit"] = .string(unit) }
    return entry
  }

  /// Describes applications, some in each step, each as the application is then.
  /// - Parameter isPage: returns only as many applications as fit into a message of a few megabytes, but at
  ///   least one.
  /// - Returns: the steps, which throw LimitExceeded when the answer would be too large for one message.
  func description(
    of applications: some Sequence<InstalledApplication>, isPage: Bool = false
  ) -> Reply.Step {
    var rest = applications.makeIterator()
    var (entries, size): ([Options], Int) = ([], 0)
    var chosen: DocumentChoices.ByApplication?
    return { [self] () throws(BusError) in
      let choices = chosen ?? store.registry.documentChoices.byApplication
      chosen = choices
      for _ in 0..<Self.mostPerStep {
        guard let application = rest.next() else { return [.optionsList(entries)] }
        var entry = describe(application, choices.types[application.identifier] ?? [])
        entry["chosen-for-files"] = choices.files[application.identifier].map(Value.strings)
        size += Value.options(entry).byteCount
        if isPage, size > Self.largestPage, !entries.isEmpty { return [.optionsList(entries)] }
        guard size <= Self.largestAnswer else {
          throw OpenFailure.limitExceeded(
            "the reply would exceed \(Self.largestAnswer) bytes; use FindApplications with the option"
              + " 'after'"
          ).busError
        }
        entries.append(entry)
      }
      return nil
    }
  }

  private func describe(_ application: InstalledApplication, _ chosenTypes: [String]) -> Options {
    let lifecycles = lifecycles()
    let state = lifecycles.states(of: application.identifier).first
    let isStartedByBridge = application.isStartedByBridge
    let receiver = isStartedByBridge ? receivers.receiver(of: application.identifier) : nil
    return ApplicationDescription(
      application: application,
      state: receiver != nil
        ? Self.running
        : isStartedByBridge ? Self.unknown : state.map(lifecycles.stateName) ?? "not running",
      pid: receiver?.pid
        ?? (isStartedByBridge ? 0 : state?.instance.flatMap { processes[$0]?.pid } ?? 0),
      quickActions: quickActions.shown(of: application),
      diagnostics: store.diagnostics(of: application.propertyList), chosenTypes: chosenTypes
    ).entry
  }
}
