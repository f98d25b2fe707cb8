import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

private let hasPython = FileManager.default.fileExists(
  atPath: "/usr/lib/python3/dist-packages/gi/__init__.py")

@MainActor
@Suite(
  "The Gio.Application in Python", .timeLimit(.minutes(30)),
  .enabled(if: hasPython, "needs the package python3-gi"))
struct GTKHandlerTests {
  static let command =
    "/usr/bin/python3 \(Example.folder)/gtk-handler/handler.py --gapplication-service"
  static let url = "paint:Sunset%20?colour=%23ff8000&b=%C3%A4#x"

  @Test("started by the daemon, then warm") func byDaemon() async throws {
    try await Testbed.run { world in
      try await Example.gtkHandler.register(in: world)
      var options = OpenOptions()
      options.activationToken = "token-1"
      let cold = try await world.client.open(Self.url, options)
      #expect(cold.outcome == .deliveredCold)
      #expect(cold.handler == "com.example.gtk-handler")
      let first = try await world.daemon.line(containing: "paint ")
      #expect(first == "paint \(Self.url) with token token-1")
      let warm = try await world.client.open("paint:2")
      #expect(warm.outcome == .deliveredWarm)
      #expect(warm.pid == cold.pid)
      #expect(try await world.daemon.line(containing: "paint ") == "paint paint:2")
      let action = try await world.client.performQuickAction(
        "clear", of: "com.example.gtk-handler")
      #expect(action.outcome == .deliveredWarm)
      try await world.daemon.line(containing: "paint cleared")
    }
  }

  @Test("started by the bus, then warm") func byBus() async throws {
    try await Testbed.run { world in
      try await Example.gtkHandler.register(in: world)
      try await world.addBusService("com.example.gtk-handler", Self.command)
      let cold = try await world.client.open(Self.url)
      #expect(cold.outcome == .deliveredCold)
      #expect(try await world.busProcess.line(containing: "paint paint:") == "paint \(Self.url)")
      let warm = try await world.client.open("paint:2")
      #expect(warm.outcome == .deliveredWarm)
      #expect(warm.pid == cold.pid)
      #expect(cold.trail == ["resolved", "launched", "delivering", "delivered"])
    }
  }

  @Test("started by hand, and found running") func byHand() async throws {
    try await Testbed.run { world in
      try await Example.gtkHandler.register(in: world)
      let watch = try await world.newClient()
      let process = try world.startProcess(
        "/usr/bin/python3", ["\(Example.folder)/gtk-handler/handler.py", "paint:0"])
      try await process.line(containing: "paint paint:0")
      let receipt = try await watch.open("paint:1")
      #expect(receipt.outcome == .deliveredWarm)
      #expect(receipt.pid == process.pid)
      try await process.line(containing: "paint paint:1")
    }
  }

  @Test("arguments want a process of the daemon's own, though the bus could start it")
  func arguments() async throws {
    try await Testbed.run { world in
      try await Example.gtkHandler.register(in: world)
      try await world.addBusService("com.example.gtk-handler", "/nowhere/program")
      var options = OpenOptions()
      options.environment = ["COLOUR": "red"]
      #expect(try await world.client.open("paint:1", options).outcome == .deliveredCold)
    }
  }

  @Test("killed, it is started again; the next daemon knows the process that lives")
  func comesAndGoes() async throws {
    try await Testbed.run { world in
      try await Example.gtkHandler.register(in: world)
      let first = try await world.client.open("paint:1")
      let end = world.client.end(of: first.pid)
      _ = try await world.client.states()  // it has heard that the end is awaited
      kill(first.pid, SIGKILL)
      _ = try await end.how()
      let second = try await world.client.open("paint:2")
      #expect(second.outcome == .deliveredCold)
      #expect(second.pid != first.pid)
      try await world.killDaemon()
      try await world.startDaemon()
      let third = try await world.client.open("paint:3")
      #expect(third.outcome == .deliveredWarm)
      #expect(third.pid == second.pid)
    }
  }

  @Test("One that gives up its name because it ends is left to end by itself")
  func quits() async throws {
    try await Testbed.run { world in
      try await Example.gtkHandler.register(in: world)
      let first = try await world.client.open("paint:1")
      let end = world.client.end(of: first.pid)
      _ = try await world.client.performQuickAction("quit", of: "com.example.gtk-handler")
      #expect(try await end.how() == "exited with code 0")
      #expect(try await world.client.open("paint:2").outcome == .deliveredCold)
    }
  }

  /// It stays though it has given up its name.
  static let lingering = """
    #!/usr/bin/python3
    import time
    from gi.repository import Gio

    class Application(Gio.Application):
        def do_open(self, files, n_files, hint):
            self.quit()

    Application(
        application_id="\(BusApplication.identifier)", flags=Gio.ApplicationFlags.HANDLES_OPEN
    ).run(["program", "--gapplication-service"])
    time.sleep(1000)

    """

  @Test("One that gives up its name and stays is ended, and what comes meanwhile is for the next")
  func lingers() async throws {
    try await Testbed.run { world in
      try await world.installPaintBox(program: .file(Self.lingering, permissions: 0o755))
      let first = try await world.client.open("paint-box:1")
      #expect(first.outcome == .deliveredCold)
      let end = world.client.end(of: first.pid)
      let question = { MessageBus.nameOwner("com.example.paint-box") }
      while (try? await world.client.call(question())) != nil {}
      let second = try await world.client.open("paint-box:2")
      #expect(second.outcome == .deliveredCold)
      #expect(second.pid != first.pid)
      #expect(try await end.how() == "was ended by SIGTERM (signal 15)")
    }
  }
}
