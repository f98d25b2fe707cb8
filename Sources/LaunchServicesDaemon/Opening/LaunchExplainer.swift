internal import BusContract
internal import LaunchRules
internal import ProcessSupervision

/// Explains how a decision would be carried out: how the application is launched, if at all, and how the URL
/// is delivered.
final class LaunchExplainer {
  private let processes: ProcessSupervisor
  private let freedesktop: FreedesktopApplications
  private let services: ServiceManager
  private let environment: HandlerEnvironment
  private let launcher: LauncherSetting
  /// Returns the current lifecycles.
  var lifecycles: () -> LifecycleTable = { LifecycleTable() }

  init(
    _ processes: ProcessSupervisor, _ freedesktop: FreedesktopApplications,
    _ services: ServiceManager,
    _ environment: HandlerEnvironment, _ launcher: LauncherSetting
  ) {
    self.processes = processes
    self.freedesktop = freedesktop
    self.services = services
    self.environment = environment
    self.launcher = launcher
  }

  private func launchStep(
    _ handler: InstalledApplication, _ command: String
  ) throws(OpenFailure) -> ExplanationStep {
    let name = ApplicationUnit.name(for: handler.identifier, random: "RANDOM")
    let choice = LauncherChoice.choose(
      launcher, hasServiceManager: services.isPresent, hasUnitName: name != nil)
    switch choice {
    case .unit: return ExplanationStep("launch", "starts \(command), as unit \(name ?? "")")
    case .process: return ExplanationStep("launch", "starts \(command)")
    case .refused(let why): throw .launchFailed(why)
    }
  }

  /// The steps of a decision and of its execution.
  func explanation(of decision: OpenRule.Decision) -> [ExplanationStep] {
    guard case .success(let opening) = decision.outcome else { return decision.trail }
    return decision.trail + explanation(of: opening)
  }

  private func explanation(of opening: OpenRule.Opening) -> [ExplanationStep] {
    let handler = opening.application
    let lifecycles = lifecycles()
    let state = lifecycles.states(of: handler.identifier).first
    var steps = [ExplanationStep("state", state.map(lifecycles.stateName) ?? "not running")]
    if let unit = state?.instance.flatMap({ processes[$0]?.unit }) {
      steps.append(
        ExplanationStep("unit", "\(unit); its log: \(ApplicationUnit.logCommand(of: unit))"))
    }
    do throws(OpenFailure) {
      let byName = freedesktop[handler.identifier] != nil
      if state == nil, byName {
        steps.append(
          ExplanationStep(
            "launch",
            "D-Bus activation of \(handler.identifier); if that fails, the daemon"
              + " starts its program"))
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
      let act =
        opening.form == .withoutURL
        ? "opens the application without the URL" : "delivers \(what) \(style), \(time)"
      steps.append(ExplanationStep("open", act))
    } catch {
      steps.append(ExplanationStep("launch", "fails: \(error.text)"))
    }
    steps.append(
      ExplanationStep(
        "sourceApplication",
        opening.source.map { "\($0) (same team, or the receiver was linked before iOS 13)" }
          ?? "nil: the opener is not known to belong to the same team"
      ))
    return steps
  }
}
