import BusContract
import DBus
import DBusMainLoop
import Foundation
import LaunchServicesTesting
import Testing

/// An application of the freedesktop world that runs in the test itself.
@MainActor final class BusApplication {
  enum Manner {
    case returning
    case refusing(String)
    /// It leaves its name behind instead of an answer.
    case leaving
    case hanging
  }

  static let identifier = "com.example.paint-box"
  static let path = "/com/example/paint_box"

  let session: BusSession
  var manner = Manner.returning
  private(set) var heard: [String] = []
  private var unanswered: [PendingCall] = []

  /// Owns its name when this returns.
  init(in world: Testbed) throws {
    let connection = try Connection(address: world.environment["DBUS_SESSION_BUS_ADDRESS"])
    session = BusSession(connection)
    session.onCall = { [weak self] in self?.received($0) }
    session.start()
    try #require(try session.requestName("com.example.paint-box") == .owned)
  }

  private func received(_ call: PendingCall) {
    heard.append("\(call.path) \(call.interface ?? "").\(call.member)\(call.arguments())")
    switch manner {
    case .returning:
      // Our own interface wants to hear whether each URL was handled.
      call.succeed(call.member == "OpenURLs" ? [.booleans([true])] : [])
    case .refusing(let why): call.fail(.failed(why))
    case .leaving: leave()
    case .hanging: unanswered.append(call)
    }
  }

  /// Gives the name up, and is still connected.
  func leave() {
    session.send(
      .call(
        to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
        interface: "org.freedesktop.DBus", member: "ReleaseName",
        [.string(Self.identifier)], expectsReply: false))
  }

  /// The call it should have heard.
  static func open(_ url: String, _ platformData: Options = [:]) -> String {
    "\(path) org.freedesktop.Application.Open\([Value.strings([url]), .options(platformData)])"
  }
}

extension Testbed {
  /// Registers it; its program does nothing and ends well unless it is another.
  /// - Parameter profile: the test is this application, too, and an iOS application is told little of what it opens.
  @discardableResult func installPaintBox(
    profile: Profile? = nil,
    program: TestApplication.Executable = .file("#!/bin/sh\n", permissions: 0o755),
    _ change: (inout TestApplication) -> Void = { _ in }
  ) async throws -> ScriptedHandler {
    try await install(BusApplication.identifier, schemes: ["paint-box"]) {
      $0.otherKeys = ["DBusActivatable": true]
      if let profile { $0.sdk = profile.rawValue }
      $0.executable = program
      change(&$0)
    }
  }

  /// Lets the bus start `command` for a name.
  func addBusService(_ name: String, _ command: String) async throws {
    let file = try #require(environment["XDG_DATA_HOME"]) + "/dbus-1/services/\(name).service"
    try "[D-BUS Service]\nName=\(name)\nExec=\(command)\n"
      .write(toFile: file, atomically: true, encoding: .utf8)
    _ = try await client.call(
      .call(
        to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
        interface: "org.freedesktop.DBus", member: "ReloadConfig"))
  }
}
