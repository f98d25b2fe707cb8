internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// Whether and how an application would be launched, as far as that is known before. Opens check it before the user is
/// asked, and explanations tell it.
final class LaunchCheck {
  private let freedesktop: FreedesktopApplications
  private let services: ServiceManager
  private let environment: HandlerEnvironment
  private let launcher: LauncherSetting
  /// Returns the current lifecycles.
  private let lifecycles: () -> LifecycleTable

  init(
    _ freedesktop: FreedesktopApplications, _ services: ServiceManager,
    _ environment: HandlerEnvironment, _ launcher: LauncherSetting,
    lifecycles: @escaping () -> LifecycleTable
  ) {
    self.freedesktop = freedesktop
    self.services = services
    self.environment = environment
    self.launcher = launcher
    self.lifecycles = lifecycles
  }

  /// The step that starts the program of the application.
  func step(_ application: InstalledApplication) throws(OpenFailure) -> ExplanationStep {
    let program = try ProgramLookup.find(application, path: environment.path)
    let command = ([program.executable] + program.arguments).joined(separator: " ")
    do throws(SpawnError) {
      try Launch(executable: program.executable, arguments: [], environment: [:]).checkExecutable()
    } catch {
      throw .launchFailed("\(error)")
    }
    let name = ApplicationUnit.name(for: application.identifier, random: "RANDOM")
    let choice = LauncherChoice.choose(
      launcher, hasServiceManager: services.isPresent, hasUnitName: name != nil)
    switch choice {
    case .unit: return ExplanationStep("launch", "starts \(command), as unit \(name ?? "")")
    case .process: return ExplanationStep("launch", "starts \(command)")
    case .refused(let why): throw .launchFailed(why)
    }
  }

  /// The failure of an open that would start the program of the application; nil when the program can be started, or the
  /// open does not start it.
  func failure(_ application: InstalledApplication) -> OpenFailure? {
    application.isStartedByBridge || startsProgram(of: application.identifier)
      ? failure(ofStarting: application) : nil
  }

  /// The failure of an open that starts a process of the application; nil when the program can be started, or the bus
  /// starts it.
  func failure(ofStarting application: InstalledApplication) -> OpenFailure? {
    guard application.isStartedByBridge || freedesktop[application.identifier] == nil else {
      return nil
    }
    do throws(OpenFailure) {
      _ = try step(application)
      return nil
    } catch {
      return error
    }
  }

  /// False for an application that runs, and for one that the bus starts.
  private func startsProgram(of identifier: BundleIdentifier) -> Bool {
    guard freedesktop[identifier] == nil else { return false }
    return switch lifecycles().reception(of: identifier) {
    case .launch, .launchAfterEnd: true
    case .waitForLaunch, .delivery: false
    }
  }
}
