internal import BusContract
internal import DBus
internal import LaunchRules
internal import ProcessSupervision
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
      let requested = try RequestedURL(text, longest: settings.opens.maximumURLLength)
      url = requested
      let question = OpenRule.Question(
        requested.subject, caller: caller, acting: acting, designated: designated,
        finding: finding(sender), isLink: options.isLink)
      let decision = decide(question, requested.text, from: sender, isCounted: false)
      handler = try? decision.outcome.get().application
      steps = explanation(requested, acting) + explanation(of: decision)
    } catch {
      steps = [ExplanationStep("url", error.sentence)]
      steps.append(ExplanationStep("open", "fails: \(error.text)"))
    }
    var counted = store.countedQueries
    let answer = CanOpenRule.answer(
      scheme: url?.scheme, caller: acting, registry: registry, quotas: &counted)
    if registry.sandboxed(caller) != nil, !answer.isYes || url?.scheme.isWeb == true {
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
      quotas: store.countedQueries)
    let format = SystemURL.explanation(of: url.text).map { ExplanationStep("format", $0) }
    steps.insert(contentsOf: format, at: min(1, steps.count))
    return steps
  }

  private func launchStep(
    _ handler: InstalledApplication, _ command: String
  ) throws(OpenFailure) -> ExplanationStep {
    let name = ApplicationUnit.name(for: handler.identifier, random: "RANDOM")
    let choice = LauncherChoice.choose(
      settings.launch.launcher, hasServiceManager: services.isPresent, hasUnitName: name != nil)
    switch choice {
    case .unit: return ExplanationStep("launch", "starts \(command), as unit \(name ?? "")")
    case .process: return ExplanationStep("launch", "starts \(command)")
    case .refused(let why): throw .launchFailed(why)
    }
  }

  /// The steps of a decision, and what would be done about it.
  func explanation(of decision: OpenRule.Decision) -> [ExplanationStep] {
    guard case .success(let opening) = decision.outcome else { return decision.trail }
    return decision.trail + explanation(of: opening)
  }

  private func explanation(of opening: OpenRule.Opening) -> [ExplanationStep] {
    let handler = opening.application
    let state = lifecycles.states(of: handler.identifier).first
    var steps = [ExplanationStep("state", state.map(lifecycles.stateName) ?? "not running")]
    if let unit = state?.instance.flatMap({ supervisor[$0]?.unit }) {
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
      let what = opening.form == .userActivity && !byName ? "the URL as a user activity" : "the URL"
      steps.append(ExplanationStep("open", "delivers \(what) \(style), \(time)"))
    } catch {
      steps.append(ExplanationStep("launch", "fails: \(error.text)"))
    }
    steps.append(
      ExplanationStep(
        "sourceApplication",
        opening.source.map { "\($0), of the same team" }
          ?? "nil: the opener is not known to be of its team"
      ))
    return steps
  }
}
