import Foundation
import LaunchServicesTesting
import Testing

/// `lsopen` asks at its terminal what only its user can answer.
@MainActor @Suite("Confirmations at the terminal", .timeLimit(.minutes(30)))
struct TerminalTests {
  private func lsopen(
    _ arguments: [String], answering answer: String, in world: Testbed
  ) async throws -> (end: String, lines: [String]) {
    let script = Fixture.path("at-terminal.py")
    let lsopen = try #require(Example.program("lsopen"))
    let process = try world.startProcess(
      "/usr/bin/python3", [script, answer, lsopen] + arguments)
    return (try await process.hasEnded(), process.lines)
  }

  private static let question =
    "Let a program start a FaceTime call to ann@b.example with com.example.calls? [y]es, [n]o: "

  @Test("yes opens, and no is the reason why not") func asked() async throws {
    try await Testbed.run { world in
      let calls = try await world.install("com.example.calls", schemes: ["facetime"])
      let yes = try await lsopen(["facetime:ann@b.example"], answering: "y", in: world)
      #expect(yes.lines == [Self.question + "y"])
      #expect(yes.end == "exited with code 0")
      let no = try await lsopen(["facetime:ann@b.example"], answering: "", in: world)
      #expect(no.end == "exited with code 4")
      #expect(
        no.lines == [
          Self.question,
          "lsopen: the user declined that a program opens a facetime URL with"
            + " com.example.calls (OSStatus error -128)",
        ])
      #expect(calls.heard().filter { $0 == .opened("facetime:ann@b.example") }.count == 1)
    }
  }

  /// A world in which the user is asked about every application.
  private func asking(_ body: (Testbed) async throws -> Void) async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeSettings(
        "<key>Confirmations</key><dict><key>custom-application</key><true/></dict>")
      try await world.startDaemon()
      try await body(world)
    }
  }

  @Test("D9: a missing system application is told at the terminal, and by no notification")
  func missing() async throws {
    try await Testbed.run { world in
      let address = try #require(world.environment["DBUS_SESSION_BUS_ADDRESS"])
      let desktop = try TestNotifications(address: address)
      let mail = try await lsopen(["mailto:a@b.example"], answering: "-", in: world)
      #expect(mail.end == "exited with code 4")
      #expect(mail.lines.count == 1 && mail.lines[0].hasPrefix("lsopen: Mail is not installed"))
      _ = await #expect(throws: Refusal.self) { try await world.client.open("tel:1") }
      #expect(try await desktop.isShown().summary == "Phone is not installed")
    }
  }

  @Test("always is remembered, and the next one is not asked") func always() async throws {
    try await asking { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      let first = try await lsopen(["photos:1"], answering: "always", in: world)
      #expect(first.end == "exited with code 0")
      #expect(first.lines.first?.contains("[y]es, [n]o, [a]lways, ne[v]er: ") == true)
      let second = try await lsopen(["photos:2"], answering: "no", in: world)
      #expect(second.lines == [])
      #expect(second.end == "exited with code 0")
    }
  }

  @Test("D2: a call is asked about each time") func everyTime() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.calls", schemes: ["facetime"])
      for _ in 0..<2 {
        let open = try await lsopen(["facetime:ann@b.example"], answering: "yes", in: world)
        #expect(open.lines == [Self.question + "yes"])
        #expect(open.end == "exited with code 0")
      }
    }
  }

  @Test(
    "a link of a page is not asked about at the terminal, and the message says so and what to do")
  func link() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.calls", schemes: ["tel"])
      let open = try await lsopen(["--from-link", "tel:555"], answering: "y", in: world)
      #expect(open.end == "exited with code 4")
      let text = open.lines.joined(separator: "\n")
      #expect(
        text.hasPrefix(
          "lsopen: the user must confirm this open and could not be asked: the terminal of the opener"
            + " is not asked about a link of a web page; no desktop notification: "), "\(text)")
      #expect(
        text.hasSuffix(
          " To be asked, start a confirmation agent or a notification service of the desktop. No answer"
            + " to this question is remembered; the row tel-web of the setting Confirmations switches"
            + " the question off (OSStatus error -54)"), "\(text)")
    }
  }

  @Test("several URLs of one command are asked about one after the other, and open in order")
  func several() async throws {
    try await Testbed.run { world in
      let calls = try await world.install("com.example.calls", schemes: ["facetime"])
      let names = ["ann", "bob", "cyd"]
      let urls = names.map { "facetime:\($0)@b.example" }
      let open = try await lsopen(urls, answering: "y", in: world)
      #expect(open.end == "exited with code 0")
      #expect(
        open.lines
          == names.map {
            "Let a program start a FaceTime call to \($0)@b.example with com.example.calls? [y]es, [n]o: y"
          })
      var arrived: [String] = []
      for case .opened(let some) in calls.heard() { arrived += some.map(\.url) }
      #expect(arrived == urls)
      let no = try await lsopen(urls, answering: "n", in: world)
      #expect(no.end == "exited with code 4")
      #expect(no.lines.count { $0.contains("[y]es, [n]o: n") } == 3, "\(no.lines)")
      #expect(no.lines.count { $0.contains("the user declined") } == 3, "\(no.lines)")
    }
  }

  @Test("a question waits for its answer, whatever becomes of the other URLs of the command")
  func severalKinds() async throws {
    try await Testbed.run { world in
      let calls = try await world.install("com.example.calls", schemes: ["facetime"])
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      _ = try await world.client.open("photos:0")
      let fifo = world.folder + "/answer"
      try #require(unsafe mkfifo(fifo, 0o600) == 0)
      let script = Fixture.path("at-terminal.py")
      let lsopen = try #require(Example.program("lsopen"))
      let open = try world.startProcess(
        "/usr/bin/python3", [script, "@" + fifo, lsopen, "facetime:ann@b.example", "photos:1"])
      // Waits for the reader, which reads after the question.
      try "yes\n".write(toFile: fifo, atomically: false, encoding: .utf8)
      #expect(try await open.hasEnded() == "exited with code 0", "\(open.lines)")
      #expect(calls.heard().contains(.opened("facetime:ann@b.example")))
      #expect(photos.heard().contains(.opened("photos:1")))
    }
  }

  @Test(
    "D2: an answer that is not offered is a no, like any other word", arguments: ["a", "always"])
  func notOffered(_ answer: String) async throws {
    try await Testbed.run { world in
      try await world.install("com.example.calls", schemes: ["facetime"])
      let open = try await lsopen(["facetime:ann@b.example"], answering: answer, in: world)
      #expect(open.lines.first == Self.question + answer)
      #expect(open.end == "exited with code 4")
    }
  }

  @Test("--timeout ends the question, too") func timeout() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.calls", schemes: ["facetime"])
      let open = try await lsopen(
        ["--timeout", "1", "facetime:ann@b.example"], answering: Self.silence, in: world)
      #expect(open.end == "exited with code 4")
      #expect(
        open.lines.last?.hasPrefix("lsopen: the time given with --timeout is over: ") == true,
        "\(open.lines)")
    }
  }

  /// Nothing is typed.
  private static let silence = "-"

  @Test("--no-ask fails where the user would be asked") func noAsk() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.calls", schemes: ["facetime"])
      let open = try await lsopen(
        ["--no-ask", "facetime:ann@b.example"], answering: "y", in: world)
      #expect(open.end == "exited with code 4")
      #expect(
        open.lines.first?.contains(
          "but its option '--no-ask' does not allow a question. No answer to this question is remembered;"
            + " the row facetime-application-macos of") == true)
    }
  }

  @Test("An application does not get to ask at a terminal of its own")
  func application() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.calls", schemes: ["tel"])
      // To the daemon a registered executable, whatever starts it.
      let lsopen = try #require(Example.program("lsopen"))
      let own = (world.environment["HOME"] ?? "") + "/evil"
      try FileManager.default.copyItem(atPath: lsopen, toPath: own)
      let list = own + ".plist"
      try Data(
        """
        <plist version="1.0"><dict>
          <key>CFBundleIdentifier</key><string>com.example.evil</string>
          <key>ProgramArguments</key><array><string>\(own)</string></array>
        </dict></plist>
        """.utf8
      ).write(to: URL(filePath: list))
      try await world.client.register(list)
      let script = Fixture.path("at-terminal.py")
      let process = try world.startProcess("/usr/bin/python3", [script, "y", own, "tel:1"])
      #expect(try await process.hasEnded() == "exited with code 4")
      #expect(process.lines.count == 1)
      #expect(process.lines.first?.contains("could not be asked") == true, "\(process.lines)")
    }
  }
}

@MainActor @Suite("Remembered answers", .timeLimit(.minutes(30)))
struct ApprovalCommandTests {
  private func lsregister(
    _ arguments: [String], in world: Testbed
  ) async throws -> (end: String, lines: [String]) {
    let process = try world.startProcess("lsregister", ["approvals"] + arguments)
    return (try await process.hasEnded(), process.lines)
  }

  @Test("settled beforehand, nobody is asked") func settled() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeSettings(
        "<key>Confirmations</key><dict><key>custom-application</key><true/></dict>")
      try await world.startDaemon()
      try await world.install("com.example.photos", schemes: ["photos"])
      let allow = try await lsregister(["allow", "photos", "com.example.photos"], in: world)
      #expect(allow.end == "exited with code 0")
      #expect(try await world.client.open("photos:1").outcome == .deliveredCold)
      let deny = try await lsregister(
        ["deny", "--opener", "@unidentified", "photos", "com.example.photos"], in: world)
      #expect(deny.end == "exited with code 0")
      await #expect(
        throws: Refusal(
          "ConfirmationDeclined",
          "the user has declined that a program opens photos URLs with com.example.photos;"
            + " see: lsregister approvals list (OSStatus error -128)")
      ) { try await world.client.open("photos:1") }
      let list = try await lsregister(["list"], in: world)
      #expect(
        list.lines == [
          "allow  *              photos  com.example.photos",
          "deny   @unidentified  photos  com.example.photos",
        ])
    }
  }

  @Test("D2: what is asked about each time can be neither allowed nor declined beforehand")
  func refused() async throws {
    try await Testbed.run { world in
      for verb in ["allow", "deny"] {
        for (scheme, reason) in [
          (
            "tel", "answers about tel are never remembered; the rows tel-web and tel-application of"
          ),
          ("facetime", "answers about facetime from macOS are never remembered; the rows"),
        ] {
          let answer = try await lsregister([verb, scheme, "com.example.calls"], in: world)
          #expect(answer.end == "exited with code 4", "\(verb) \(scheme)")
          #expect(answer.lines.first?.contains(reason) == true, "\(answer.lines)")
        }
      }
      let file = world.folder + "/denials.plist"
      try PropertyListEncoder().encode(["*": ["tel": ["com.example.calls": false]]])
        .write(to: URL(filePath: file))
      #expect(try await lsregister(["import", file], in: world).end == "exited with code 4")
      #expect(try await lsregister(["list"], in: world).lines == [])
    }
  }

  @Test("arguments in the wrong order are refused, and an unknown application is remarked on")
  func order() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      for verb in ["allow", "deny"] {
        let swapped = try await lsregister([verb, "com.example.photos", "photos"], in: world)
        #expect(swapped.end == "exited with code 4")
        #expect(
          swapped.lines.first?.contains(
            "com.example.photos is an application, and photos is its scheme: the scheme comes first:"
              + " photos com.example.photos") == true, "\(swapped.lines)")
      }
      #expect(try await lsregister(["list"], in: world).lines == [])
      let unknown = try await lsregister(["allow", "com.example.later", "later"], in: world)
      #expect(unknown.end == "exited with code 0")
      #expect(
        unknown.lines == [
          "lsregister: no application 'later' is registered yet, so the answer has no effect now; the"
            + " scheme comes first: lsregister approvals allow SCHEME ID"
        ])
      // A scheme may look like an identifier, and be that of an application.
      let legitimate = try await lsregister(
        ["allow", "com.example.photos", "com.example.photos"], in: world)
      #expect(legitimate.end == "exited with code 0")
      #expect(legitimate.lines == [])
    }
  }

  @Test("are exported and imported, also those of an iOS simulator") func files() async throws {
    try await Testbed.run { world in
      let folder = world.environment["HOME"] ?? ""
      _ = try await lsregister(["allow", "photos", "com.example.calls"], in: world)
      _ = try await lsregister(
        ["deny", "mailto", "com.example.calls", "--opener", "@web"], in: world)
      let before = try await lsregister(["list"], in: world).lines
      #expect(try await lsregister(["export", "a.plist"], in: world).end == "exited with code 0")
      #expect(try await lsregister(["reset"], in: world).lines == ["2 forgotten"])
      #expect(
        try await lsregister(["import", folder + "/a.plist"], in: world).lines == ["2 imported"])
      #expect(try await lsregister(["list"], in: world).lines == before)

      let simulator = [
        "com.apple.CoreSimulator.CoreSimulatorBridge-->myapp": "com.example.app",
        "com.example.opener-->other": "com.example.app",
      ]
      let data = try PropertyListEncoder().encode(simulator)
      try data.write(to: URL(filePath: folder + "/s.plist"))
      #expect(try await lsregister(["import", "s.plist"], in: world).lines == ["2 imported"])
      let list = try await lsregister(["list"], in: world).lines
      #expect(list.contains("allow  *                   myapp   com.example.app"), "\(list)")
      #expect(list.contains("allow  com.example.opener  other   com.example.app"))
    }
  }

  @Test(
    "a file that is none is refused with the reason, and changes nothing",
    arguments: [
      ("", "it is no property list of approvals"),
      ("<plist", "it is no property list of approvals"),
      (
        "<plist><dict><key>a</key><string>b</string></dict></plist>",
        "the key 'a' is not OPENER-->SCHEME"
      ),
      (
        "<plist><dict><key>a b--&gt;tel</key><string>c</string></dict></plist>",
        "opener 'a b' is neither"
      ),
    ])
  func wrongFile(_ text: String, _ reason: String) async throws {
    try await Testbed.run { world in
      let path = (world.environment["HOME"] ?? "") + "/x.plist"
      try Data(text.utf8).write(to: URL(filePath: path))
      let answer = try await lsregister(["import", path], in: world)
      #expect(answer.end == "exited with code 4")
      #expect(answer.lines.first?.contains(reason) == true, "\(answer.lines)")
      #expect(try await lsregister(["list"], in: world).lines == [])
    }
  }
}
