import BusContract
import DBus
import Foundation
import Glibc
import Host
import LaunchServicesTesting
import Testing

/// What a receipt says about a URL when a process ends, hangs, or passes the URL on.
@MainActor
@Suite(
  "Processes that end, hang or pass URLs on", .timeLimit(.minutes(30)),
  .enabled(
    if: OtherExampleTests.hasPython && Desktop.isInstalled("update-desktop-database"),
    "needs the packages python3-dbus, python3-gi and desktop-file-utils"))
struct HandOverEndTests {
  /// The failure of an open, which has to fail.
  private func failure(_ world: Testbed, _ url: String) async -> Refusal? {
    do {
      Issue.record("\(url): \(try await world.client.open(url))")
      return nil
    } catch {
      return error
    }
  }

  /// Installs a script of the shell.
  /// - Parameter name: of this test only: a process of a script of the same name counts as the application that runs.
  private func installScript(_ text: String, name: String, in desktop: Desktop) async throws {
    let script = "\(desktop.world.folder)/\(name).sh"
    try desktop.write(script, "#!/bin/sh\n" + text)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
    try await desktop.install("chat", schemes: ["chat"], exec: "\(script) %u")
    try await desktop.world.client.reload()
  }

  @Test("A program that handles each URL itself: the end of one process says nothing about another")
  func ownProcess() async throws {
    try await Desktop.run { world, desktop in
      let gate = "\(world.folder)/gate"
      try #require(unsafe mkfifo(gate, 0o600) == 0)
      // The first process ends as soon as the second has.
      try await installScript(
        """
        if mkdir \(world.folder)/first; then echo first $1; read line < \(gate); exit 0; fi
        echo second $1
        echo end > \(gate)
        """, name: "handles-itself", in: desktop)
      #expect(try await world.client.open("chat:0").outcome == .unacknowledgedCold)
      try await world.daemon.line(containing: "first chat:0")
      let receipt = try await world.client.open("chat:1")
      #expect(receipt.outcome == .handedOverWarm)
      #expect(receipt.pid == 0)
      try await world.daemon.line(containing: "second chat:1")
    }
  }

  @Test(
    "A script that forwards the URL and ends with 1 is no failure, and the trail has the status")
  func scriptStatus() async throws {
    try await Desktop.run { world, desktop in
      try await installScript(
        """
        case $1 in
        *forwarded) echo forwarded $1; exit 1;;
        *missing) exec /nowhere/program $1;;
        *executed) exec /usr/bin/false;;
        esac
        """, name: "forwards-and-fails", in: desktop)
      let receipt = try await world.client.open("chat:forwarded")
      #expect(receipt.outcome == .unacknowledgedCold)
      #expect(
        receipt.trail.suffix(3) == ["arguments", "exit-status-1", "unacknowledged"],
        "\(receipt.trail)")
      try await world.daemon.line(containing: "forwarded chat:forwarded")
      for (url, status) in [("chat:missing", "127"), ("chat:executed", "1")] {
        let refused = await failure(world, url)
        #expect(refused?.name == "org.launchservices.Error.HandlerRefused")
        #expect(
          refused?.text.contains("exited with code \(status)") == true, "\(refused?.text ?? "")")
      }
    }
  }

  @Test("A program that fails after the receipt: the history and the log say so, and how")
  func failsLater() async throws {
    try await Desktop.run { world, desktop in
      let gate = "\(world.folder)/gate"
      try #require(unsafe mkfifo(gate, 0o600) == 0)
      try await installScript(
        "read line < \(gate); kill -ABRT $$", name: "fails-later", in: desktop)
      #expect(
        try await world.client.open("chat:1", requestID: "one").outcome == .unacknowledgedCold)
      try "go\n".write(toFile: gate, atomically: false, encoding: .utf8)
      let line = try await world.daemon.line(
        containing: "a program failed soon after it was started with a URL")
      #expect(line.contains("was ended by signal 6"), "\(line)")
      let history = try world.startProcess("lsopen", ["--history", "1"])
      let request = try await history.line(containing: "chat:1")
      #expect(request.contains("unacknowledged, then was ended by signal 6"), "\(request)")
    }
  }

  @Test("The process that passes URLs on is killed: nobody knows whether it has passed the URL on")
  func bridgeKilled() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.install("chat", schemes: ["chat"], arguments: "--stay=60")
      try await world.client.reload()
      #expect(try await world.client.open("chat:0").outcome == .unacknowledgedCold)
      _ = try await desktop.recorded()
      // The second process is observed for some seconds, because it may forward the URL.
      let opening = world.client.opening("chat:1")
      _ = try await desktop.recorded()
      for process in ProcessDetails.ofThisUser()
      where process.name.hasPrefix("launchservices-")
        && process.executable?.path.hasSuffix("/launchservices-desktop") == true
        && process.environmentAtStart["HOME"] == world.environment["HOME"]
      { kill(process.pid, SIGKILL) }
      do throws(Refusal) {
        Issue.record("\(try await opening.receipt())")
      } catch {
        #expect(error.name == "org.launchservices.Error.DeliveryUnknown", "\(error)")
        #expect(
          error.text.contains("it is unknown whether the URL was passed on before"), "\(error)")
      }
    }
  }

  @Test("URLs behind one that an application does not answer do not wait their whole time, too")
  func hangs() async throws {
    try await Desktop.run { world, desktop in
      let name = "im.dino.Dino"
      try await desktop.install(
        name, schemes: ["chat"],
        exec: "/usr/bin/python3 \(Fixture.path("gapplication.py")) open \(name) %U")
      try await world.client.reload()
      _ = try await world.client.open("chat:0")
      try await world.daemon.line(containing: "gapplication open chat:0")
      let first = world.client.opening("chat:hang")
      let others = (1...5).map { world.client.opening("chat:\($0)") }
      for (number, open) in ([first] + others).enumerated() {
        do throws(Refusal) {
          Issue.record("\(try await open.receipt())")
        } catch {
          #expect(error.name == "org.launchservices.Error.DeliveryUnknown", "\(error)")
          #expect(
            error.text.contains("owes the answer to an earlier URL") == (number > 0), "\(error)")
        }
      }
    }
  }
}
