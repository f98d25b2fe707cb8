internal import BusContract
internal import DBus
internal import LaunchRules
internal import SystemSchemes

// Explain: the whole path of a decision, nothing launched.

extension Daemon {
  func explain(
    _ text: String, _ options: QueryOptions, _ caller: Caller, _ sender: String
  ) throws(BusError) -> Options {
    let acting = try explaining(caller, options)
    let designated = try options.application.map { name throws(BusError) in
      try identifier(name, "option 'application'")
    }
    var steps: [ExplanationStep] = []
    var handler: InstalledApplication?
    var url: RequestedURL?
    do throws(OpenFailure) {
      let requested = try RequestedURL(text, longest: settings.maximumURLLength)
      url = requested
      steps = explanation(requested, acting)
      let link = designated == nil ? linkDecision(requested, acting.identifier) : nil
      steps += link?.steps ?? []
      if case .application(let chosen) = link?.outcome {
        handler = chosen
        let confirmation = ExplanationStep("confirmation", "not asked: it is a universal link")
        steps += opening(chosen, acting, confirmation, isLink: true)
      } else {
        let chosen = try registry.choose(
          .init(scheme: requested.scheme, host: requested.host, designated: designated))
        handler = chosen
        steps += opening(chosen, acting, confirmation(requested.scheme, chosen, acting, sender))
      }
    } catch {
      if steps.isEmpty { steps = [ExplanationStep("url", error.sentence)] }
      steps.append(ExplanationStep("open", "fails: \(error.text)"))
    }
    var counted = quotas
    let answer = CanOpenRule.answer(
      scheme: url?.scheme, caller: acting, registry: registry, quotas: &counted)
    if case .identified(let own, _) = acting, isSandboxed(own),
      !answer.isYes || url?.scheme.isWeb == true
    {
      // Who would be asked is more than it declared that it may know (R3.3, R3.9).
      handler = nil
      let told: Set = ["url", "format", "caller", "allowlist", "canOpen"]
      steps = steps.filter { told.contains($0.step) }
    }
    return explained(steps, answer, handler, acting)
  }

  func explained(
    _ steps: [ExplanationStep], _ answer: CanOpenAnswer, _ handler: InstalledApplication?,
    _ acting: ActingCaller
  ) -> Options {
    let isHeld = handler != nil && !hasBus
    let all = steps + (isHeld ? [ExplanationStep("open", "fails: \(Self.hasNoBus)")] : [])
    return [
      "steps": .array(
        of: "(ss)", all.map { .structure([.string($0.step), .string($0.sentence)]) }),
      "can-open": .boolean(answer.isYes),
      "would-open": .boolean(handler != nil && hasBus),
      "handler": .string(handler?.identifier.text ?? ""),
      "caller": .string(acting.identifier?.text ?? ""),
    ]
  }

  /// Who is to be explained to.
  func explaining(_ caller: Caller, _ options: QueryOptions) throws(BusError) -> ActingCaller {
    let acting = try acting(caller, as: options.actAs)
    if case .identified(let own, _) = acting, isSandboxed(own),
      registry.allowlist(of: own) == .legacyQuota
    {
      throw OpenFailure.notPermitted(
        "\(own) was linked before iOS 9: its questions are counted, and explanations are not"
      ).busError
    }
    return acting
  }

  /// What is known of the URL itself comes first.
  private func explanation(_ url: RequestedURL, _ acting: ActingCaller) -> [ExplanationStep] {
    var steps = CanOpenRule.explanation(
      scheme: url.scheme, host: url.host, caller: acting, registry: registry,
      quotas: quotas)
    let format = SystemURL.explanation(of: url.text).map { ExplanationStep("format", $0) }
    steps.insert(contentsOf: format, at: min(1, steps.count))
    return steps
  }

  private func launchStep(
    _ handler: InstalledApplication, _ command: String
  ) throws(OpenFailure) -> ExplanationStep {
    let name = ApplicationUnit.name(for: handler.identifier, random: "RANDOM")
    let choice = LauncherChoice.choose(
      settings.launcher, hasServiceManager: services.isPresent, hasUnitName: name != nil)
    switch choice {
    case .unit: return ExplanationStep("launch", "starts \(command), as unit \(name ?? "")")
    case .process: return ExplanationStep("launch", "starts \(command)")
    case .refused(let why): throw .launchFailed(why)
    }
  }

  func confirmation(
    _ scheme: URLScheme, _ handler: InstalledApplication, _ acting: ActingCaller, _ sender: String
  ) -> ExplanationStep {
    let situation = situation(scheme, acting, sender, handler)
    let origin = situation.origin == .web ? "from a web page: " : ""
    let decision = confirmationRule.decide(situation)
    return switch decision {
    case .allowed, .proceed, .ask: ExplanationStep("confirmation", "\(origin)\(decision)")
    case .decline: ExplanationStep("confirmation", "\(origin)declined: \(decision)")
    }
  }

  func opening(
    _ handler: InstalledApplication, _ acting: ActingCaller, _ confirmation: ExplanationStep,
    isLink: Bool = false
  ) -> [ExplanationStep] {
    let state = lifecycles.states(of: handler.identifier).first
    var steps = [
      ExplanationStep("handler", "\(handler.identifier), from \(handler.propertyList)"),
      confirmation,
      ExplanationStep("state", state.map(lifecycles.stateName) ?? "not running"),
    ]
    if let unit = state?.instance.flatMap({ instances[$0]?.unit }) {
      steps.append(
        ExplanationStep("unit", "\(unit); its log: \(ApplicationUnit.logCommand(of: unit))"))
    }
    do throws(OpenFailure) {
      let byName = names[handler.identifier] != nil
      if state == nil, byName {
        steps.append(
          ExplanationStep(
            "launch", "the message bus starts \(handler.identifier), or else its program"))
      } else if state == nil {
        let program = try ProgramLookup.find(handler, path: environment.path)
        let command = ([program.executable] + program.arguments).joined(separator: " ")
        steps.append(try launchStep(handler, command))
      }
      let style =
        byName
        ? "to its org.freedesktop.Application, unless it checks in"
        : handler.declaration.usesScenes ? "to its scene delegate" : "to its application delegate"
      let time = state == nil ? "at launch" : "while it runs"
      let what = isLink && !byName ? "the URL as a user activity" : "the URL"
      steps.append(ExplanationStep("open", "delivers \(what) \(style), \(time)"))
    } catch {
      steps.append(ExplanationStep("launch", "fails: \(error.text)"))
    }
    let opener = acting.identifier.flatMap(registry.application)
    let source = sourceApplication(opener: opener, receiver: handler)
    steps.append(
      ExplanationStep(
        "sourceApplication",
        source.map { "\($0), of the same team" } ?? "nil: the opener is not known to be of its team"
      ))
    return steps
  }
}
