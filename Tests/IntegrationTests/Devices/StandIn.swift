import BusContract
import LaunchServicesTesting

/// The devices of a program that speaks the interface of KDE Connect.
@MainActor enum StandIn {
  static let pixel = "_a1_:Pixel 7:phone:pr"
  static let script = Fixture.path("kdeconnectd.py")

  @discardableResult static func start(
    _ behaviour: String = "takes", paired property: String = "isPaired",
    devices: [String] = [pixel], in world: Testbed
  ) async throws -> ObservedProcess {
    let process = try world.startProcess(
      "/usr/bin/python3", [script, behaviour, property] + devices)
    try await process.line(containing: "ready")
    return process
  }

  static func run(
    callsFrom: String? = nil, settings: String = "",
    _ body: @MainActor (Testbed) async throws -> Void
  ) async throws {
    try await Testbed.run(startsDaemon: false) { world in
      if let callsFrom {
        try world.writeSettings("<key>CallsFrom</key><string>\(callsFrom)</string>\(settings)")
      }
      try await world.startDaemon()
      try await body(world)
    }
  }

  static func on(_ name: String, _ change: (inout OpenOptions) -> Void = { _ in }) -> OpenOptions {
    var options = OpenOptions()
    options.device = name
    change(&options)
    return options
  }

  /// The URLs that the stand-in was given.
  static func shared(_ process: ObservedProcess) -> [String] {
    process.lines.filter { $0.hasPrefix("shared ") }
  }
}
