import BusContract
import DBus
import Foundation
import Glibc
import LaunchRules
import LaunchServicesTesting
import Testing

/// Another machine or a container opens URLs here, on a socket of its own.
@MainActor @Suite("Remotes", .timeLimit(.minutes(30)))
struct RemoteTests {
  @Test("lsopen opens a URL on the other side, and gets a receipt without process and application")
  func opens() async throws {
    try await Testbed.run { world in
      let browser = try await world.install("com.example.browser", schemes: ["https"])
      let socket = try await world.addRemote("laptop")
      let (end, lines) = try await world.lsopen(
        through: socket, ["--json", "https://example.com/a"])
      #expect(end == "exited with code 0", "\(lines)")
      let receipt = try #require(lines.first.flatMap(Testbed.json))
      #expect(Set(receipt.keys) == ["delivery", "handled", "request", "url"])
      #expect(receipt["delivery"] as? String == "delivered")
      try await browser.next(.opened("https://example.com/a"))
      let entry = try #require(try await world.history().first)
      #expect(entry["caller"] == .string("remote:laptop"))
      #expect(entry["fate"] == .string("delivered"))
    }
  }

  @Test("lsopen on the other side says when the application did not handle the URL")
  func notHandled() async throws {
    try await Testbed.run { world in
      try await world.install(
        "com.example.photos", schemes: ["photos"], .delegate(deliveries: [.answer(false)]))
      let socket = try await world.addRemote("laptop", allowing: ["photos"])
      for repetition in ["first", "again"] {
        let (end, lines) = try await world.lsopen(
          through: socket, ["--json", "--request-id", "mine", "photos:1"])
        #expect(end == "exited with code 0", "\(lines)")
        let receipt = lines.lazy.compactMap(Testbed.json).first
        #expect(receipt?["handled"] as? Bool == false, "\(repetition): \(lines)")
        #expect(receipt?["handler"] == nil && receipt?["launch"] == nil, "\(lines)")
        #expect(
          lines.contains { $0.contains("the application received the request and reported it") },
          "\(repetition): \(lines)")
      }
    }
  }

  @Test("xdg-open of lsopen, and BROWSER=lsopen of Python, open it on the other side") func tools()
    async throws
  {
    try await Testbed.run { world in
      let browser = try await world.install("com.example.browser", schemes: ["https"])
      let socket = try await world.addRemote("laptop")
      let folder = world.folder + "/bin"
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      for name in ["xdg-open", "lsopen"] {
        try FileManager.default.createSymbolicLink(
          atPath: folder + "/" + name, withDestinationPath: Fixture.program("lsopen"))
      }
      var elsewhere = Testbed.elsewhere(socket)
      elsewhere["PATH"] = folder + ":/usr/bin:/bin"
      elsewhere["BROWSER"] = "lsopen"
      let commands = [
        [folder + "/xdg-open", "https://example.com/1"],
        ["/usr/bin/python3", "-m", "webbrowser", "https://example.com/2"],
      ]
      for (number, command) in commands.enumerated() {
        let process = try world.startProcess(
          command[0], Array(command.dropFirst()), environment: elsewhere)
        #expect(try await process.hasEnded() == "exited with code 0", "\(process.lines)")
        try await browser.next(.opened("https://example.com/\(number + 1)"))
      }
    }
  }

  @Test(
    "the user is asked, by the name of the remote, before another scheme; yes is remembered for it")
  func asks() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let socket = try await world.addRemote("laptop")
      let agent = try await world.confirmationAgent()
      let first = try world.startProcess(
        "lsopen", ["photos:1"], environment: Testbed.elsewhere(socket))
      let question = try await agent.isAsked()
      #expect(question.opener == "remote:laptop")
      #expect(question.origin == "remote")
      #expect(
        question.sentence
          == "Let laptop (another machine or a container) open photos:1 with com.example.photos?")
      agent.answer(true, remember: true)
      #expect(try await first.hasEnded() == "exited with code 0", "\(first.lines)")
      try await photos.next(.opened("photos:1"))
      #expect(try await world.lsopen(through: socket, ["photos:2"]).end == "exited with code 0")
      // The answer counts for this remote only.
      let other = try world.startProcess(
        "lsopen", ["photos:3"], environment: Testbed.elsewhere(try await world.addRemote("other")))
      #expect(try await agent.isAsked().opener == "remote:other")
      agent.answer(false)
      #expect(try await other.hasEnded() == "exited with code 4")
      #expect(other.lines.contains { $0.contains("the user declined") }, "\(other.lines)")
    }
  }

  @Test("a remote that is made again under its name has none of the answers of the one before")
  func answersOfRemoved() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      _ = try await world.addRemote("old")
      let agent = try await world.confirmationAgent()
      for arguments in [
        ["approvals", "allow", "photos", "com.example.photos", "--opener", "remote:old"],
        ["remote", "remove", "old"],
      ] {
        let command = try world.startProcess("lsregister", arguments)
        #expect(try await command.hasEnded() == "exited with code 0", "\(command.lines)")
      }
      let socket = try await world.addRemote("old")
      let open = try world.startProcess(
        "lsopen", ["photos:1"], environment: Testbed.elsewhere(socket))
      #expect(try await agent.isAsked().opener == "remote:old")
      agent.answer(false)
      #expect(try await open.hasEnded() == "exited with code 4")
      #expect(photos.deliveries() == [])
      try await world.restartDaemon()
      let list = try world.startProcess("lsregister", ["approvals", "list"])
      #expect(try await list.hasEnded() == "exited with code 0")
      #expect(list.lines.filter { $0.contains("remote:old") } == [])
    }
  }

  @Test(
    "an open that waits for the user ends with the right of its remote, and the late answer counts for nothing",
    arguments: [["remove", "old"], ["deny", "old", "photos"]])
  func lateAnswer(change: [String]) async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let socket = try await world.addRemote("old")
      let agent = try await world.confirmationAgent()
      let open = try world.startProcess(
        "lsopen", ["--timeout", "60", "photos:1"], environment: Testbed.elsewhere(socket))
      #expect(try await agent.isAsked().opener == "remote:old")
      let command = try world.startProcess("lsregister", ["remote"] + change)
      #expect(try await command.hasEnded() == "exited with code 0", "\(command.lines)")
      agent.answer(true, remember: true)
      if change.first == "deny" {
        #expect(try await open.hasEnded() == "exited with code 4")
        #expect(open.lines.contains { $0.contains("does not allow remote:old") }, "\(open.lines)")
      }
      let entry = try #require(try await world.history().first)
      #expect(entry["caller"] == .string("remote:old"))
      #expect(entry["fate"] != .string("delivered"), "\(entry)")
      #expect(photos.deliveries() == [])
      let list = try world.startProcess("lsregister", ["approvals", "list"])
      #expect(try await list.hasEnded() == "exited with code 0")
      #expect(list.lines.filter { $0.contains("remote:old") } == [])
      open.signal(SIGKILL)
    }
  }

  @Test("what needs the answer of the user ends alike with and without an application")
  func probing()
    async throws
  {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let socket = try await world.addRemote("laptop")
      @MainActor func end(_ url: String, _ arguments: [String]) async throws -> String {
        let (end, lines) = try await world.lsopen(through: socket, arguments + [url])
        return "\(end): \(lines)".replacing(url, with: "URL")
      }
      // Nobody can be asked.
      for arguments in [[], ["--no-ask"], ["--json"]] {
        let known = try await end("photos:1", arguments)
        #expect(try await end("nobody:1", arguments) == known)
        #expect(known.contains("lsregister remote allow laptop SCHEME"), "\(known)")
      }
      let agent = try await world.confirmationAgent()
      let remote = try world.remoteClient(socket)
      for url in ["photos:2", "nobody:2"] {
        var options = OpenOptions()
        options.validFor = 1
        do throws(Refusal) {
          _ = try await remote.open(url, options)
          Issue.record("\(url) was opened")
        } catch {
          #expect(error.name == "org.launchservices.Error.Cancelled", "\(url): \(error)")
        }
        _ = try await agent.isAsked()
        try await agent.isWithdrawn()
        agent.answer(false)
      }
      let open = remote.opening("nobody:3")
      #expect("\(try await agent.isAsked())".contains("learn that nothing here opens nobody:3?"))
      agent.answer(true)
      do throws(Refusal) {
        _ = try await open.receipt()
        Issue.record("nobody:3 was opened")
      } catch {
        #expect(error.name == "org.launchservices.Error.ApplicationNotFound", "\(error)")
      }
      #expect(photos.heard().isEmpty)
    }
  }

  @Test("the user is asked before a page of this machine, although web pages are allowed")
  func localPage() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.browser", schemes: ["http", "https"])
      let socket = try await world.addRemote("laptop")
      let agent = try await world.confirmationAgent()
      for url in ["http://localhost:631/", "http://2130706433/", "http:/127.0.0.1/"] {
        let open = try world.startProcess(
          "lsopen", ["--verbatim", url], environment: Testbed.elsewhere(socket))
        #expect(try await agent.isAsked().opener == "remote:laptop")
        agent.answer(false)
        #expect(try await open.hasEnded() == "exited with code 4")
      }
    }
  }

  @Test(
    "files, program texts and everything besides URLs are refused",
    arguments: [
      (["file:///etc/passwd"], "file URLs are never opened for a remote: they name files"),
      (["--verbatim", "javascript:alert(1)"], "are never opened for a remote"),
      (["--verbatim", "data:text/html,x"], "are never opened for a remote"),
      (["-b", "com.example.photos", "photos:1"], "may not use option '--application'"),
      (["-b", "com.example.photos"], "may open URLs, but no files"),
      (["--as", "com.example.photos", "photos:1"], "opens URLs for itself only"),
      (["--as", "remote:other", "photos:1"], "option '--as'"),
      (["--explain", "photos:1"], "remotes may only open URLs"),
      (["--history"], "remotes may only open URLs"),
      (["-n", "photos:1"], "may not use option '--new'"),
      (["-W", "photos:1"], "'--wait-apps'"),
      (["mailto:a@b.example?attach=/etc/passwd"], "names a file to be attached"),
      (
        ["-R", "/etc/hostname"],
        "shows files of this machine, and opens of this session go to another one; run it"
      ),
      (["--env", "A=B", "photos:1"], "may not use option '--env'"),
      (["photos:1", "--args", "x"], "may not use option '--args'"),
    ])
  func refused(_ arguments: [String], _ reason: String) async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        "com.example.photos", schemes: ["photos", "data", "javascript"])
      let socket = try await world.addRemote("laptop", allowing: ["photos"])
      let (end, lines) = try await world.lsopen(through: socket, arguments)
      #expect(end == "exited with code 4", "\(lines)")
      #expect(lines.contains { $0.contains(reason) }, "\(lines)")
      #expect(photos.heard().isEmpty)
    }
  }

  @Test("nothing but opens of URLs is possible on the socket, and properties say nothing")
  func calls() async throws {
    try await Testbed.run { world in
      let socket = try await world.addRemote("laptop")
      let remote = try world.remoteClient(socket)
      try await remote.ping()
      @MainActor func refusal(_ message: borrowing Message) async -> String? {
        do throws(Refusal) {
          let values = try await remote.call(message)
          return "answered \(values)"
        } catch { return error.name }
      }
      let denied = "org.launchservices.Error.NotPermitted"
      #expect(await refusal(Contract.listApplications()) == denied)
      #expect(await refusal(Contract.reload()) == denied)
      #expect(await refusal(Contract.approvals()) == denied)
      #expect(await refusal(Contract.remotes()) == denied)
      #expect(await refusal(Contract.addRemote("more")) == denied)
      #expect(await refusal(Contract.monitor()) == denied)
      #expect(await refusal(Contract.deliverDirectly()) == denied)
      #expect(await refusal(Contract.setShortcutItems([])) == denied)
      #expect(await refusal(Contract.checkIn(CheckInOptions())) == denied)
      #expect(await refusal(Contract.handlers("https")) == denied)
      #expect(
        await refusal(Contract.registryProperty("Generation"))
          == "org.freedesktop.DBus.Error.UnknownProperty")
    }
  }

  @Test("queries say yes only for what is opened without a question") func canOpen() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.browser", schemes: ["https", "photos"])
      let socket = try await world.addRemote("laptop")
      #expect(
        try await world.lsopen(through: socket, ["--can-open", "https:"]).end
          == "exited with code 0")
      #expect(
        try await world.lsopen(through: socket, ["--can-open", "https://example.com/"]).end
          == "exited with code 0")
      #expect(
        try await world.lsopen(through: socket, ["--can-open", "https://router/"]).end
          == "exited with code 1")
      let (end, lines) = try await world.lsopen(through: socket, ["--can-open", "photos:"])
      #expect(end == "exited with code 1")
      #expect(
        lines == [
          "no", "lsopen: the machine of the user has no application for it, or asks the user first",
        ])
    }
  }

  @Test("a remote is kept over a restart, listed, changed and removed") func list() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      @MainActor func register(_ arguments: [String]) async throws -> [String] {
        let process = try world.startProcess("lsregister", ["remote"] + arguments)
        #expect(try await process.hasEnded() == "exited with code 0", "\(process.lines)")
        return process.lines
      }
      let advice = try await register(["add", "laptop", "--allow", "photos"])
      let socket = RemoteSocket.path(
        of: try #require(RemoteName("laptop")),
        in: RemoteSocket.folder(runtimeFolder: world.environment["XDG_RUNTIME_DIR"] ?? ""))
      #expect(
        advice.contains("RemoteForward /home/%r/.local/state/launch-services/forwarded \(socket)"))
      #expect(
        advice.contains { $0.hasPrefix("--volume ") && $0.hasSuffix("/run/launch-services/socket") }
      )
      try await world.restartDaemon()
      #expect(
        try await register(["list"]) == [
          "laptop  allow=http,https,mailto,photos  deny=-  sent=-  callbacks=no  connections=0  \(socket)"
        ])
      #expect(try await world.lsopen(through: socket, ["photos:1"]).end == "exited with code 0")
      _ = try await register(["deny", "laptop", "photos", "mailto"])
      let (end, lines) = try await world.lsopen(through: socket, ["photos:2"])
      #expect(end == "exited with code 4")
      #expect(lines.last?.contains("lsregister remote ask laptop photos") == true, "\(lines)")
      _ = try await register(["ask", "laptop", "photos"])
      #expect(
        try await register([]).first?.contains("allow=http,https  deny=mailto ") == true)
      let connected = try world.remoteClient(socket)
      try await connected.ping()
      _ = try await register(["remove", "laptop"])
      #expect(try await register(["list"]).isEmpty)
      #expect(!FileManager.default.fileExists(atPath: socket))
      await #expect(throws: Refusal.self) { try await connected.ping() }
      #expect(try await world.lsopen(through: socket, ["photos:3"]).end == "exited with code 3")
    }
  }

  @Test("a list says why a remote has no socket, and what a container left in its folder is kept")
  func blockedSocket() async throws {
    try await Testbed.run { world in
      @MainActor func lsregister(_ arguments: [String]) async throws -> [String] {
        let process = try world.startProcess("lsregister", ["remote"] + arguments)
        #expect(try await process.hasEnded() == "exited with code 0", "\(process.lines)")
        return process.lines
      }
      let socket = try await world.addRemote("laptop")
      try await world.stopDaemon()
      try FileManager.default.createDirectory(
        atPath: socket + "/mine", withIntermediateDirectories: true)
      try await world.startDaemon()
      let reason = "the socket \(socket) cannot be used: a folder with files is there; remove it"
      #expect(try await lsregister(["list"]).first?.hasSuffix("  problem: \(reason)") == true)
      let added = try world.startProcess("lsregister", ["remote", "add", "laptop"])
      #expect(try await added.hasEnded() == "exited with code 4")
      #expect(added.lines == ["lsregister: \(reason)"])
      let folder = try #require(socket.split(separator: "/").last).utf8.count + 1
      #expect(
        try await lsregister(["remove", "laptop"]) == [
          "lsregister: the remote is removed; its folder has files that are not launchservicesd's, and remains:"
            + " \(socket.dropLast(folder))"
        ])
      #expect(try await lsregister(["list"]) == [])
    }
  }

  @Test("the shell of the user explains and tries what a remote may do") func explain() async throws
  {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      _ = try await world.addRemote("laptop")
      let explain = try world.startProcess(
        "lsopen", ["--as", "remote:laptop", "--explain", "photos:1"])
      #expect(try await explain.hasEnded() == "exited with code 0")
      let text = explain.lines.joined(separator: "\n")
      #expect(text.contains("remote:laptop, another machine or a container"))
      #expect(text.contains("the user is asked before remote:laptop opens a photos URL"))
      let query = try world.startProcess(
        "lsopen", ["--as", "remote:laptop", "--can-open", "photos:1"])
      #expect(try await query.hasEnded() == "exited with code 1")
      #expect(
        query.lines == [
          "no", "lsopen: the user is asked before remote:laptop opens a photos URL",
        ])
      #expect(text.contains("the user is asked (row custom-remote of the setting Confirmations)"))
      #expect(!text.contains("allowlist"))
    }
  }

  @Test("an explanation says one thing about a page of the local network: the user is asked")
  func explainLocalPage() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.browser", schemes: ["http"])
      _ = try await world.addRemote("laptop")
      let explain = try world.startProcess(
        "lsopen", ["--as", "remote:laptop", "--explain", "http://127.0.0.1/"])
      #expect(try await explain.hasEnded() == "exited with code 0")
      let text = explain.lines.joined(separator: "\n")
      let reason = "the user is asked before remote:laptop opens a page of this machine"
      #expect(text.contains("canOpen            no: \(reason)"), "\(text)")
      #expect(text.contains("the user is asked (row "), "\(text)")
      #expect(!text.contains("without a question"), "\(text)")
    }
  }

  @Test("without a display a forwarded socket comes before the bus, with one the bus comes first")
  func choice() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let socket = try await world.addRemote("laptop", allowing: ["photos"])
      let runtime = try #require(world.environment["XDG_RUNTIME_DIR"])
      try FileManager.default.createSymbolicLink(
        atPath: runtime + "/" + RemoteSocket.forwardedName, withDestinationPath: socket)
      @MainActor func caller(_ additions: [String: String]) async throws -> Value? {
        let open = try world.startProcess("lsopen", ["photos:1"], environment: additions)
        #expect(try await open.hasEnded() == "exited with code 0", "\(open.lines)")
        try await photos.next(.opened("photos:1"))
        return try await world.history().first?["caller"]
      }
      let remote = Value.string("remote:laptop")
      #expect(try await caller([:]) == remote)
      #expect(try await caller(["DISPLAY": ":7"]) != remote)
      // There is a display, and no daemon of this machine.
      let nowhere = ["DISPLAY": ":7", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"]
      #expect(try await caller(nowhere) == remote)
    }
  }

  @Test("nothing is sent where nobody answers, and lsopen says that nothing was opened")
  func nobody() async throws {
    try await Testbed.run { world in
      let (end, lines) = try await world.lsopen(
        through: world.folder + "/nobody", ["https://example.com/"])
      #expect(end == "exited with code 3")
      #expect(lines.first?.hasPrefix("lsopen: nothing was opened: ") == true, "\(lines)")
    }
  }
}
