import Glibc
import Host
import LaunchRules
import ProcessSupervision
import ScriptedProcesses
import Testing

/// A supervisor, its back ends, and what it reported.
final class SupervisorWorld {
  let units = ScriptedBackend()
  let children = ScriptedBackend()
  let supervisor: ProcessSupervisor
  private(set) var events: [String] = []
  private let stream: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation

  /// - Parameter startsProcesses: starts real child processes.
  init(startsProcesses: Bool = false, _ change: (inout SupervisionSettings) -> Void = { _ in }) {
    var settings = SupervisionSettings(timeout: 20, maximumLaunches: 32)
    settings.launcher = .spawn
    change(&settings)
    (stream, continuation) = AsyncStream.makeStream(of: String.self)
    supervisor = ProcessSupervisor(
      settings, HandlerEnvironment(inheriting: ["PATH": "/usr/bin:/bin", "HOME": "/"]),
      units: units, children: startsProcesses ? ChildBackend() : children,
      Journal(program: "process-supervision-tests", environment: [:], descriptor: -1))
    supervisor.onEvent = { [weak self] in self?.record($0) }
  }

  private func record(_ event: SupervisionEvent) {
    let text = Self.text(event)
    events.append(text)
    continuation.yield(text)
  }

  /// Waits for the event.
  func event(_ wanted: String) async throws {
    for await event in stream where event == wanted { return }
    Issue.record("\(wanted) did not come")
  }

  private static func text(_ event: SupervisionEvent) -> String {
    switch event {
    case .unitOrdered: "unit ordered"
    case .unitSettled: "unit settled"
    case .started(let id, let process, _): "\(id.name) started as \(process.pid)"
    case .launchFailed(let id, let failure): "\(id.name) failed: \(failure.text)"
    case .launchWithdrawn(let id): "\(id.name) withdrawn"
    case .timedOut(let id, let seconds): "\(id.name) timed out after \(seconds) s"
    case .changed(let id, let process):
      "\(id.name) is \(process.pid)\(process.isSuspended ? ", suspended" : "")"
    case .succeeded(let id, let new, let old): "\(id.name) went from \(old.pid) to \(new.pid)"
    case .suspensionDue(let id): "\(id.name) is to be suspended"
    case .ended(let id): "\(id.name) ended"
    case .exited(let id, let end): "\(id.name) \(end)"
    }
  }

  func start(_ id: InstanceID, _ program: [String] = ["/bin/true"]) {
    supervisor.start(id, ApplicationLaunch(.installed(id.slot.application, program)))
  }
}

nonisolated extension InstanceID {
  static let photos = InstanceID(InstanceSlot(BundleIdentifier("com.example.photos")!), ordinal: 1)
  static let music = InstanceID(InstanceSlot(BundleIdentifier("com.example.music")!), ordinal: 1)

  var name: String { String(slot.application.text.split(separator: ".").last!) }
}

nonisolated extension InstalledApplication {
  static func installed(_ identifier: BundleIdentifier, _ program: [String]) -> Self {
    InstalledApplication(
      declaration: ApplicationDeclaration(identifier: identifier, program: .arguments(program)),
      propertyList: "/nowhere/Info.plist", folder: "/nowhere")
  }
}
