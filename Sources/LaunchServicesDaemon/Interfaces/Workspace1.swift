internal import BusContract
internal import CallerIdentity
internal import DBus
internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// The interface `org.launchservices.Workspace1`: queries about URLs, and opens.
final class Workspace1 {
  private let store: RegistryStore
  private let opens: OpenService
  private let documents: DocumentOpenService
  private let explainer: Explainer
  private let history: RequestHistory
  private let fates: RequestFates
  private let remotes: RemoteStore
  private let processes: ProcessSupervisor
  private let exitSubscribers: ExitSubscribers
  private let identities: ProcessIdentities
  /// Maximum length of a URL, in bytes.
  private let longest: Int
  private let journal: Journal

  init(
    store: RegistryStore, opens: OpenService, documents: DocumentOpenService,
    explainer: Explainer, fates: RequestFates, remotes: RemoteStore, history: RequestHistory,
    processes: ProcessSupervisor, exitSubscribers: ExitSubscribers, identities: ProcessIdentities,
    longest: Int, journal: Journal
  ) {
    self.store = store
    self.opens = opens
    self.documents = documents
    self.explainer = explainer
    self.history = history
    self.fates = fates
    self.remotes = remotes
    self.processes = processes
    self.exitSubscribers = exitSubscribers
    self.identities = identities
    self.longest = longest
    self.journal = journal
  }

  func answer(
    _ content: IncomingCall, of caller: IdentifiedCaller, _ call: PendingCall
  ) throws(BusError) -> Reply {
    switch content {
    case .canOpenURL(let url, let options):
      return .values([.boolean(try canOpen(url, options, caller))])
    case .openURL(let url, let options):
      return DocumentURL.isOne(url)
        ? try documents.open([url], options, caller, call, isSingle: true)
        : try opens.openURL(url, options, caller, call)
    case .openDocuments(let urls, let options):
      return try documents.open(urls, options, caller, call)
    case .performQuickAction(let application, let type, let options):
      return try opens.performQuickAction(application, type, options, caller, call)
    case .openApplication(let name, let options):
      return try opens.openApplication(name, options, caller, call)
    case .cancelOpen(let id): return try opens.cancel(id, caller)
    case .requestFate(let id, let isCancelled):
      return try fates.answer(id, isCancelled: isCancelled, caller)
    case .explain(let url, let options):
      guard DocumentURL.isOne(url) else {
        let needsDevices = explainer.needsDevices(url, options)
        guard
          needsDevices || explainer.applicationWithEndpoint(url, options, caller) != nil
        else {
          return .values([.options(try explainer.explain(url, options, caller))])
        }
        return .laterInTurns { [explainer] () async throws(BusError) in
          let found = needsDevices ? await explainer.devices(named: options.device) : nil
          let objection = await explainer.objection(
            to: explainer.applicationWithEndpoint(url, options, caller, devices: found))
          return { () throws(BusError) in
            [
              .options(
                try explainer.explain(url, options, caller, devices: found, objection: objection))
            ]
          }
        }
      }
      return .laterInTurns { [explainer] () async throws(BusError) in
        let explanation = await explainer.documentExplanation(url, options, caller)
        return { () throws(BusError) in [.options(try explanation())] }
      }
    case .history(let options):
      let mayKnowHandler = AccessRule.mayKnowHandler(store.registry.sandboxed(caller.caller))
      var options = options
      // The desktop file ID is another name of an application with a property list and a desktop entry.
      if let name = options.application.flatMap(BundleIdentifier.init) {
        options.application = store.registry.application(name)?.identifier.text ?? name.text
      }
      return .later { [history, options] in
        [
          .optionsList(
            await history.entries(options, for: caller, mayKnowHandler: mayKnowHandler))
        ]
      }
    case .monitor:
      try history.addSubscriber(caller)
      return .nothing
    case .waitForExit(let pid):
      guard let pid = Int32(exactly: pid), let instance = processes.instance(running: pid) else {
        throw RegistrationFailure.notRunning("no application runs in process \(pid)").busError
      }
      if let application = store.registry.application(instance.slot.application),
        let objection = ProcessOptionsRule.objectionToWaiting(for: application)
      {
        throw RegistrationFailure.notPermitted(objection).busError
      }
      try exitSubscribers.add(call, for: instance)
      return .pending
    case .identifyProcess(let pid, let startTime):
      return .later { [identities] () async throws(BusError) in
        [.options(try await identities.describe(pid, startTime: startTime))]
      }
    default: preconditionFailure("\(content) is not a call of Workspace1")
    }
  }

  private func canOpen(
    _ text: String, _ options: QueryOptions, _ caller: IdentifiedCaller
  ) throws(BusError) -> Bool {
    let acting = try caller.acting(as: options.actAs)
    let url = try? RequestedURL(text, longest: longest)
    if let remote = acting.remote {
      return explainer.canOpenCode(url, of: remote) == nil
    }
    let answer = store.canOpen(
      url?.scheme, host: url?.host, acting, machines: remotes.rules)
    if let line = answer.logLine(for: text) {
      var subject = ["caller": caller.recordedName]
      subject["application"] = acting.identifier?.text
      if let hint = answer.hint {
        journal.notice(line, ["hint": "\(hint)"], about: subject)
      } else {
        journal.notice(line, about: subject)
      }
    }
    return answer.isYes
  }
}
