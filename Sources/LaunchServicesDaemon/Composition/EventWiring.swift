internal import CallerIdentity
internal import DBus
internal import DBusMainLoop
internal import Host
internal import LaunchRules
internal import ProcessSupervision
internal import Records
internal import RegistryLoading

/// Connects the events of components to the components that handle them. Calls go from this layer to the
/// components; events return to this layer.
struct EventWiring {
  let callers: CallerComponents
  let registry: RegistryComponents
  let requests: RequestComponents
  let handlers: HandlerComponents
  let opening: OpenComponents
  let trimmer: MemoryTrimmer
  let journal: Journal
  /// Called when the state folder, which contains the lock, was removed.
  let onStateFolderLoss: () -> Void

  func connect() {
    connectCalls()
    connectHandlers()
    connectConfirmations()
    requests.opens.onAcceptance = { [history = requests.history] in
      history.recordAcceptance(of: $0)
    }
    requests.watch.onChange = { [store = requests.store] in store.lookAtPlace() }
    requests.watch.onRecovery = { storeAgain() }
    registry.store.onChange = { handle($0) }
    registry.desktopImporter.onEvent = { [store = registry.store, trimmer] event in
      switch event {
      case .applications(let applications): store.replaceDesktopApplications(applications)
      case .end: trimmer.recordReading()
      }
    }
    registry.store.onRead = { [trimmer] in trimmer.recordReading() }
    registry.store.onProgress = { [reading = opening.reading] in reading.tell($0, of: $1) }
  }

  private func connectCalls() {
    let (server, registry) = (callers.server, registry)
    server.onWork = { [trimmer] in trimmer.recordWork() }
    server.registryProperties = {
      [
        "Generation": .uint64(registry.store.registry.generation),
        "DesktopExport": .boolean(registry.desktopExporter.isOn),
        "DefaultsGuard": .string(registry.defaultsGuard.policy.rawValue),
      ]
    }
    server.onRequest = { [dispatcher = opening.dispatcher] request throws(BusError) in
      try dispatcher.answer(request)
    }
    server.onForget = { [table = callers.table] in table.forget($0) }
    let closed = ClosedConnections(
      callers: callers, requests: requests, handlers: handlers, opening: opening)
    let connections = ConnectionEvents(callers: callers, opening: opening, closed: closed)
    callers.session.onSignal = { connections.received($0) }
    callers.direct.onConnect = { connections.arrivedDirectly($0, $1) }
    callers.direct.onDisconnect = { closed.closedDirectly($0) }
    callers.remoteSockets.onConnect = { connections.arrivedDirectly($0, $1) }
    callers.remoteSockets.onDisconnect = { closed.closed($0) }
  }

  private func connectHandlers() {
    let (coordinator, events) = (opening.coordinator, opening.handlerEvents)
    let (table, record) = (callers.table, handlers.record)
    handlers.supervisor.onEvent = { event in
      switch event {
      case .unitOrdered(let unit): table.beginWaiting(for: unit)
      case .unitSettled(let unit): table.endWaiting(for: unit)
      default: events.handle(event)
      }
    }
    handlers.supervisor.recordStarts { id, token, unit, start in
      record.recordStart(of: id, token: token, unit: unit) {
        guard !coordinator.isStopped else { return }
        if coordinator.state(of: id) != nil { start() } else { record.recordStartEnd(of: id) }
      }
    }
    handlers.deliveries.recordDelivery = {
      [history = requests.history, loops = opening.redirectLoops] open, process, then in
      loops.handedOver(open)
      history.recordDelivery(of: open, to: process, then: then)
    }
    opening.deviceDeliveries.recordDelivery = { [history = requests.history] open, then in
      history.recordDelivery(of: open, to: (pid: 0, startTime: 0), then: then)
    }
    opening.deviceDeliveries.onResult = { coordinator.delivered($0, $1) }
    handlers.deliveries.onEvent = { events.handle($0) }
    handlers.freedesktop.onEvent = { events.handle($0) }
    handlers.processes.onFailure = { events.launchFailed($0, $1) }
    handlers.checkIns.onCheckIn = { events.handle($0) }
    coordinator.onEvent = {
      [
        applications = opening.applications, waiters = opening.exitSubscribers,
        activities = opening.activities
      ] in
      switch $0 {
      case .changed: applications.update { coordinator.lifecycles.runningApplications }
      case .ended(let id, let how):
        waiters.ended(id, how: how)
        activities.set(nil, of: id)
      }
    }
  }

  private func connectConfirmations() {
    let (coordinator, notices) = (opening.coordinator, opening.notices)
    notices.mayAnswer = { await mayAnswerForUser($0) }
    opening.confirmations.onProceed = {
      [opens = requests.opens, callbacks = opening.callbacks] id in
      guard let open = opens[id], let remote = RemoteName(callerName: open.entry.caller),
        let url = open.payload.urls.first,
        let callback = callbacks.callback(of: url, by: .remote(remote))
      else { return coordinator.confirmed(id) }
      // The browser may be led to the port at once.
      Task {
        let problem = await callbacks.forward(callback, for: .remote(remote))
        if let problem { opens.record(id, problem.step) }
        if !coordinator.isStopped { coordinator.confirmed(id) }
      }
    }
    opening.confirmations.onFail = { coordinator.fail($0, $1) }
    opening.remotes.onDenial = { [opens = opening.opens] in opens.giveUp(of: $0, $1) }
    opening.remotes.onRemoval = {
      [opens = opening.opens, confirmations = opening.confirmations, paces = opening.paces] in
      opens.giveUp(of: $0, nil)
      paces.forget($0)
      confirmations.forgetAnswers(about: $0)
    }
    opening.redirectLoops.onLoop = { [history = requests.history] url, reason in
      notices.tell("\(history.subject(url).prefix(200)) is not opened", reason)
    }
    opening.decider.onMissing = { notices.tell("\($0.name) is not installed", $1.sentence) }
  }

  /// Stores the state in memory again after the state folder was removed.
  private func storeAgain() {
    onStateFolderLoss()
    let (registry, confirmations) = (registry, opening.confirmations)
    let files: [() throws(FileError) -> Void] = [
      registry.store.storeAgain, registry.links.storeAgain, registry.quickActions.storeAgain,
      registry.desktopExporter.storeAgain, registry.defaultsGuard.storeAgain,
      registry.remotes.storeAgain,
      confirmations.storeAgain,
    ]
    for store in files {
      do throws(FileError) {
        try store()
      } catch {
        journal.error(
          "a file of the state folder was removed and cannot be written again",
          ["reason": error.description])
      }
    }
  }

  /// Handles a change of the registry, or a new reading of unchanged applications.
  private func handle(_ change: RegistryChange) {
    handlers.freedesktop.update(change)
    if change.changesRegistry {
      registry.dropQuickActions()
      registry.desktopExporter.registryChanged()
      if change.changesLinks { registry.links.declarationsChanged(in: registry.store.registry) }
      RegistrySignals.sendChanged(registry.store.registry.generation, to: callers.session)
    }
    registry.links.installed(change.linkDomains)
  }

  /// Whether a notification by this connection may answer for the user.
  private func mayAnswerForUser(_ connection: String) async -> Bool {
    await withCheckedContinuation { continuation in
      callers.table.withFacts(of: connection) { facts in
        let caller = try? handlers.identifier.caller(on: connection, facts)
        continuation.resume(
          returning: caller.map {
            AccessRule.mayAnswerForUser($0.caller, isFromBrowser: $0.facts.isFromBrowser)
          } ?? false)
      }
    }
  }
}
