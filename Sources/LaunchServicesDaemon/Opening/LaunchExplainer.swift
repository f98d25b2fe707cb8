internal import BusContract
internal import Host
internal import LaunchRules
internal import ProcessSupervision
internal import PropertyLists

/// Explains how a decision would be carried out: how the application is launched, if at all, and how the URL
/// is delivered.
final class LaunchExplainer {
  private let processes: ProcessSupervisor
  private let freedesktop: FreedesktopApplications
  private let check: LaunchCheck
  private let environment: HandlerEnvironment
  private let receivers: ReceivingProcesses
  /// Returns the current lifecycles.
  private let lifecycles: () -> LifecycleTable

  init(
    _ processes: ProcessSupervisor, _ freedesktop: FreedesktopApplications,
    _ check: LaunchCheck, _ environment: HandlerEnvironment,
    _ receivers: ReceivingProcesses, lifecycles: @escaping () -> LifecycleTable
  ) {
    self.processes = processes
    self.freedesktop = freedesktop
    self.check = check
    self.environment = environment
    self.receivers = receivers
    self.lifecycles = lifecycles
  }

  /// The steps of a decision and of its execution, and whether both would succeed as far as that is known before.
  /// - Parameter objection: why the application of the desktop gets no URL.
  func explanation(
    of decision: OpenRule.Decision, objection: String? = nil
  ) -> (steps: [ExplanationStep], opens: Bool) {
    guard case .success(let opening) = decision.outcome else { return (decision.trail, false) }
    let (steps, opens) =
      switch opening.receiver {
      case .application(let handler): explanation(of: opening, by: handler, objection)
      case .device(let device, _): ([Self.step(device)], true)
      case .nobody: ([], false)
      }
    return (decision.trail + steps, opens)
  }

  private static func step(_ device: Device) -> ExplanationStep {
    let sentence =
      switch device.transport {
      case .kdeConnect:
        "hands the URL over to \(device.name) by kdeconnect, without an acknowledgement by the device"
      case .ssh: "opens the URL on \(device.name) by ssh, with the application that is chosen there"
      }
    return ExplanationStep("open", sentence)
  }

  private func explanation(
    of opening: OpenRule.Opening, by handler: InstalledApplication, _ objection: String?
  ) -> (steps: [ExplanationStep], opens: Bool) {
    if handler.isStartedByBridge { return bridged(opening, handler, objection) }
    var opens = true
    let lifecycles = lifecycles()
    let state = lifecycles.states(of: handler.identifier).first
    let reception = lifecycles.reception(of: handler.identifier)
    let launches = reception == .launch || reception == .launchAfterEnd
    var steps = [ExplanationStep("state", state.map(lifecycles.stateName) ?? "not running")]
    if let unit = state?.instance.flatMap({ processes[$0]?.unit }) {
      steps.append(
        ExplanationStep("unit", "\(unit); its log: \(ApplicationUnit.logCommand(of: unit))"))
    }
    do throws(OpenFailure) {
      let byName = freedesktop[handler.identifier] != nil
      if launches, byName {
        steps.append(
          ExplanationStep(
            "launch",
            "D-Bus activation of \(handler.identifier); if that fails, the daemon"
              + " starts its program"))
      } else if launches {
        steps.append(try check.step(handler))
      }
      let style =
        byName
        ? "to its org.freedesktop.Application, unless it checks in"
        : handler.declaration.usesScenes
          ? "to a scene of the application (scene delegate), unless it checks in without scenes"
          : "to the application (application delegate)"
      let time =
        switch reception {
        case .launch: "at launch"
        case .launchAfterEnd: "at launch, after the previous process has ended"
        case .waitForLaunch: "when its launch has finished"
        case .delivery: "while it runs"
        }
      let what = opening.form == .userActivity && !byName ? "the URL as a user activity" : "the URL"
      let act =
        opening.form == .withoutURL
        ? "opens the application without the URL" : "delivers \(what) \(style), \(time)"
      steps.append(ExplanationStep("open", act))
    } catch {
      opens = false
      steps.append(ExplanationStep("launch", "fails: \(error.text)"))
    }
    steps.append(
      ExplanationStep(
        "sourceApplication",
        opening.source.map { "\($0) (same team, or the receiver was linked before iOS 13)" }
          ?? "nil: the opener is not known to belong to the same team"
      ))
    return (steps, opens)
  }
}

// MARK: - Applications of the desktop

extension LaunchExplainer {
  /// The process that passes URLs on is no process of the application: what counts is the process that got a URL last, and
  /// the way of the URL.
  private func bridged(
    _ opening: OpenRule.Opening, _ handler: InstalledApplication, _ objection: String?
  ) -> (steps: [ExplanationStep], opens: Bool) {
    let receiver = receivers.receiver(of: handler.identifier)
    let state =
      receiver.map { "running, as process \($0.pid)" }
      ?? "unknown: no process is known that got a URL from Launch Services and runs"
    let declaration = handler.declaration
    let entry = choices.entry(for: handler.identifier.text, declared: declaration.handOver)
    var steps = [
      ExplanationStep("state", state),
      ExplanationStep(
        "way", HandOverWays.sentence(isStartedByBus: declaration.isStartedByBus, entry)),
    ]
    do throws(OpenFailure) {
      _ = try check.step(handler)
    } catch {
      return (steps + [ExplanationStep("launch", "fails: \(error.text)")], false)
    }
    if let objection {
      return (steps + [ExplanationStep("open", "fails: \(objection)")], false)
    }
    let act =
      switch opening.form {
      case .withoutURL: "opens the application without the URL"
      case .userActivity: "delivers the URL as a user activity to the application"
      default: "hands the URL over to the application"
      }
    steps.append(ExplanationStep("open", act))
    return (steps, true)
  }

  /// Whether a running process of the application of the desktop would get a URL at a bus name or a socket.
  func hasEndpoint(_ application: InstalledApplication) -> Bool {
    let declaration = application.declaration
    return application.isStartedByBridge
      && (declaration.isStartedByBus
        || choices.entry(for: application.identifier.text, declared: declaration.handOver) != nil)
  }

  /// No choices when there is no file, or the file cannot be read: then they have no effect on an open, either.
  private var choices: HandOverChoices {
    let folders = UserFolders(environment: environment.ofTools)
    let bytes = try? RegularFile.readOwn(
      folders.configHome + "/" + HandOverChoices.file, atMost: HandOverChoices.largestFile)
    return bytes.flatMap { try? OwnPropertyList.decode(HandOverChoices.self, from: $0) }
      ?? HandOverChoices()
  }
}
