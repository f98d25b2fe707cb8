internal import CallerIdentity
internal import DBus
internal import DaemonSettings
internal import Host
internal import LaunchRules
internal import ProcessSupervision
internal import SystemSchemes

extension OpenRule.Decision {
  /// The application of an open that only applications receive.
  func application() throws(BusError) -> InstalledApplication {
    try withBusErrors { () throws(OpenFailure) in try outcome.get().receivingApplication() }
  }
}

/// Decides opens by the rules, both for opens and for explanations.
final class OpenDecider {
  private let store: RegistryStore
  private let links: AssociatedDomains
  private let confirmations: ConfirmationService
  private let remotes: RemoteStore
  private let redirectLoops: RedirectLoopGuard
  /// Whether the caller descends from a process of the desktop bridge that got the URL.
  private let wasBridged: (String, IdentifiedCaller) -> Bool
  private let delivery: DeliverySettings
  private let journal: Journal
  private let devices: Devices
  private let launches: LaunchCheck
  private var missingNotices = MissingNotices()
  /// Called when an open fails because a system application is missing and the opener has no terminal; not again for
  /// the same application and opener in a short time.
  var onMissing: ((SystemApplication, OpenFailure) -> Void)?

  init(
    _ store: RegistryStore, _ links: AssociatedDomains, _ confirmations: ConfirmationService,
    _ remotes: RemoteStore, _ redirectLoops: RedirectLoopGuard, _ processes: ProcessSupervisor,
    _ deliveries: DeliveryService, _ delivery: DeliverySettings, _ journal: Journal,
    _ devices: Devices, _ launches: LaunchCheck
  ) {
    self.store = store
    self.links = links
    self.confirmations = confirmations
    self.remotes = remotes
    self.redirectLoops = redirectLoops
    wasBridged = { url, caller in
      processes.instance(startedAs: caller.facts.ancestry)
        .map { deliveries.wasBridged(url, to: $0) } ?? false
    }
    self.delivery = delivery
    self.journal = journal
    self.devices = devices
    self.launches = launches
  }

  /// The question whether a URL is opened, and the URL in the form that its scheme prescribes.
  func question(
    about url: RequestedURL, _ conditions: OpenConditions
  ) -> (question: OpenRule.Question, checked: CheckedURL) {
    let checked = CheckedURL(url.text, delivery.systemSchemeForm)
    let finding = checked.finding(opensApplication: delivery.completesWhenInvoked)
    var question = conditions.question(url.subject, format: finding)
    question.hasPublicHost = url.hasPublicHost
    question.attachesFile = url.attachesFile
    return (question, checked)
  }

  /// Returns the decision of the rules about an open.
  /// - Parameters:
  ///   - url: the URL for the detection of redirect loops; nil for a quick action or an application.
  ///   - isCounted: false when nothing is opened.
  ///   - devices: the devices, if `needsDevices` is true; else the machines count, to which a rule may send the URL.
  ///   - hasTerminal: the opener reports failures to its user in a terminal.
  func decide(
    _ question: OpenRule.Question, _ url: String?, of caller: IdentifiedCaller, isCounted: Bool,
    devices: DeviceList? = nil, hasTerminal: Bool = true
  ) -> OpenRule.Decision {
    let decision = OpenRule.decide(
      question, in: store.registry,
      by: policies(question, url, caller, devices: devices, isCounted: isCounted))
    if isCounted, let missing = decision.missing {
      // Apple's systems notify their user (R2.11).
      journal.notice(
        "\(missing.name) is not installed", ["scheme": question.scheme?.text ?? ""],
        about: ["caller": caller.recordedName])
      if !hasTerminal, case .failure(let failure) = decision.outcome,
        missingNotices.isDue(missing, for: caller.recordedName, at: .now)
      {
        onMissing?(missing, failure)
      }
    }
    return decision
  }

  /// The failure of an open that starts a process of the application, as far as it is known before.
  func failure(ofStarting application: InstalledApplication) -> OpenFailure? {
    launches.failure(ofStarting: application)
  }

  /// Whether the devices must be known before the decision.
  func needsDevices(_ device: String?, _ scheme: URLScheme?) -> Bool {
    DeviceRule.needsDevices(device, scheme: scheme, in: store.registry)
  }

  /// The devices at this time.
  /// - Parameter name: of the device that the opener has named; nil for none.
  func devices(named name: String?) async -> DeviceList {
    await devices.list(for: name ?? store.registry.callsFrom)
  }

  /// The decision for an open that is delivered to its application once more.
  func repetition(
    of question: OpenRule.Question, with application: InstalledApplication,
    _ caller: IdentifiedCaller
  ) -> OpenRule.Opening {
    OpenRule.repetition(
      of: question, with: application, in: store.registry,
      by: policies(question, nil, caller, isCounted: false))
  }

  private func policies(
    _ question: OpenRule.Question, _ url: String?, _ caller: IdentifiedCaller,
    devices: DeviceList? = nil, isCounted: Bool
  ) -> OpenRule.Policies {
    OpenRule.Policies(
      links: links.rule, confirmations: confirmations.rule, site: links.site,
      devices: devices ?? self.devices.machines, machines: remotes.rules,
      remoteRights: { [remotes] in remotes[$0] },
      launchFailure: { [launches] in launches.failure($0) },
      redirectLoop: { [self] application in
        guard let url, let scheme = question.scheme, application.declaration.isDesktopBridge else {
          return nil
        }
        return redirectLoops.failure(
          url, scheme,
          RedirectLoopRule.Evidence(
            wasBridged: wasBridged(url, caller),
            hops: caller.facts.hops,
            canLoop: BridgeRepetitions.canLoop(scheme, caller.facts.finding)),
          isCounted: isCounted)
      })
  }
}
