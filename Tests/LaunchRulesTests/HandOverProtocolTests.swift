import LaunchRules
import Testing

@Suite("How a running application is asked to open a URL") struct HandOverProtocolTests {
  private let subject = HandOverProtocol.Subject(
    "chat:a?b", commandLine: ["chat", "chat:a?b"], folder: "/", activationToken: "token")

  private func calls(
    _ handOver: HandOverProtocol, to name: String,
    _ change: (inout HandOverProtocol.Subject) -> Void
  ) -> [String] {
    var subject = subject
    change(&subject)
    return handOver.requests(for: subject, to: name).map {
      "\($0.path) \($0.interface).\($0.member)"
    }
  }

  @Test(
    "gtk-open asks for command lines first, because Open may be dropped by an application that takes them"
  )
  func gtkOpen() {
    let requests = HandOverProtocol.gtkOpen.requests(for: subject, to: "org.example.Chat-1")
    #expect(requests.map(\.path) == ["/org/example/Chat_1", "/org/example/Chat_1"])
    #expect(requests.map(\.interface) == ["org.gtk.Application", "org.gtk.Application"])
    #expect(requests.map(\.member) == ["CommandLine", "Open"])
    let token: [String: BusRequest.Argument] = [
      "activation-token": .string("token"), "desktop-startup-id": .string("token"),
    ]
    #expect(
      requests.first?.arguments == [
        .objectPath("/org/gtk/Application/CommandLine"), .byteStrings(["chat", "chat:a?b"]),
        .options(token.merging(["cwd": .bytes([0x2f, 0])]) { $1 }),
      ])
    #expect(requests.last?.arguments == [.strings(["chat:a?b"]), .string(""), .options(token)])
    // Without the proof nothing is sent.
    #expect(calls(.gtkOpen, to: "a.b") { $0.commandLine = nil } == [])
  }

  @Test("the others make one call each")
  func others() {
    func call(_ handOver: HandOverProtocol, _ name: String) -> [String] {
      calls(handOver, to: name) { _ in }
    }
    #expect(call(.gtkCommandLine, "a.b") == ["/a/b org.gtk.Application.CommandLine"])
    #expect(
      call(.kdeCommandLine, "org.kde.chat-7")
        == ["/org/kde/chat_7 org.kde.KDBusService.CommandLine"])
    #expect(
      call(.mumble, "net.sourceforge.mumble.mumble") == ["/ net.sourceforge.mumble.Mumble.openUrl"])
    #expect(
      call(.mozillaRemote, "org.mozilla.firefox.L2E_")
        == ["/org/mozilla/firefox/Remote org.mozilla.firefox.OpenURL"])
    #expect(
      call(.hexchat, "org.hexchat.service") == ["/org/hexchat/Remote org.hexchat.plugin.Command"])
    for handOver in [HandOverProtocol.gtkCommandLine, .kdeCommandLine, .mozillaRemote] {
      #expect(calls(handOver, to: "org.mozilla.firefox.a") { $0.commandLine = nil } == [])
    }
  }

  @Test("Tauri is called at both paths that its versions use, with the program and the URL only")
  func tauri() {
    #expect(
      calls(.tauri, to: "com.ex-ample.app.SingleInstance_1_2") { _ in }
        == [
          "/com/ex_ample/app/SingleInstance_1_2 org.SingleInstance.DBus.ExecuteCallback",
          "/com_ex_ample_app/SingleInstance_1_2 org.SingleInstance.DBus.ExecuteCallback",
        ])
    #expect(
      calls(.tauri, to: "a.SingleInstance") { _ in } == [
        "/a/SingleInstance org.SingleInstance.DBus.ExecuteCallback"
      ])
    let request = HandOverProtocol.tauri.requests(for: subject, to: "a.SingleInstance").first
    #expect(request?.arguments == [.strings(["chat", "chat:a?b"]), .string("/")])
    #expect(calls(.tauri, to: "a.SingleInstance") { $0.commandLine = ["chat", "-x", "y:"] } == [])
    #expect(calls(.tauri, to: "a.SingleInstance") { $0.commandLine = nil } == [])
    let missing = BusAnswer.error(name: "org.freedesktop.DBus.Error.UnknownObject", text: "")
    #expect(HandOverProtocol.tauri.verdict(on: missing, to: 0) == .proceed)
    #expect(HandOverProtocol.tauri.verdict(on: missing, to: 1) == .notTaken)
    #expect(
      HandOverProtocol.tauri.verdict(on: .values(status: nil), to: 0) == .taken(.handedOver))
    #expect(HandOverProtocol.tauri.verdict(on: .none, to: 0) == .unknown)
  }

  @Test("Wails 2 gets the arguments as JSON") func wails() {
    let name = "org.wails_app_chat.SingleInstance"
    let requests = HandOverProtocol.wails.requests(for: subject, to: name)
    #expect(
      calls(.wails, to: name) { _ in } == ["/org/wails_app_chat/SingleInstance \(name).SendMessage"]
    )
    #expect(
      requests.first?.arguments == [
        .json(["Args": .strings(["chat:a?b"]), "WorkingDirectory": .string("/")])
      ])
  }

  @Test("HexChat gets no URL that would be two arguments of its command") func hexchat() {
    for url in ["irc://a b", "irc://a\u{7f}", "irc://a\nquit"] {
      #expect(calls(.hexchat, to: "org.hexchat.service") { $0.url = url } == [], "\(url)")
    }
    #expect(
      HandOverProtocol.hexchat.requests(for: subject, to: "org.hexchat.service").first?.arguments
        == [.string("url chat:a?b")])
  }

  @Test("Mozilla's name has the path of the profile, and its call a packed command line")
  func mozilla() {
    #expect(
      MozillaRemote.name(of: "firefox", profile: "L3RtcC9maC9ob21lL2ZmcA==")
        == "org.mozilla.firefox.L3RtcC9maC9ob21lL2ZmcA__")
    #expect(MozillaRemote.name(of: "firefox", profile: "a+/ä") == "org.mozilla.firefox.a___")
    let long = MozillaRemote.name(of: "firefox", profile: String(repeating: "a", count: 300))
    #expect(long.utf8.count == 255)
    let plain = HandOverProtocol.Subject("b:", commandLine: ["ff", "b:"], folder: "/")
    let numbers: [UInt8] = [2, 0, 0, 0, 14, 0, 0, 0, 17, 0, 0, 0]
    #expect(
      HandOverProtocol.mozillaRemote.requests(for: plain, to: "org.mozilla.firefox.a").first?
        .arguments == [.bytes(numbers + Array("/\0ff\0b:\0".utf8))])
    var withToken = plain
    withToken.activationToken = "t"
    guard
      case .bytes(let bytes)? = HandOverProtocol.mozillaRemote.requests(
        for: withToken, to: "org.mozilla.firefox.a"
      ).first?.arguments.first
    else {
      Issue.record("no bytes")
      return
    }
    #expect(bytes[8] == 14 + 3 + 16)
    #expect(bytes.suffix(24) == Array("/\0ff STARTUP_TOKEN=t\0b:\0".utf8).suffix(24))
    #expect(calls(.mozillaRemote, to: "org.example.a") { _ in } == [])
  }

  @Test("The profiles of Mozilla are looked for in our folders, and in those of running processes")
  func mozillaFolders() {
    let below = [".mozilla/firefox", ".config/mozilla/firefox"]
    func folders(_ configHome: String, _ environments: [[String: String]] = []) -> [String] {
      MozillaRemote.folders(
        below, home: "/h", configHome: configHome, ofProcesses: environments)
    }
    let usual = ["/h/.mozilla/firefox", "/h/.config/mozilla/firefox"]
    #expect(folders("/h/.config") == usual)
    #expect(folders("/c") == [usual[0], "/c/mozilla/firefox", usual[1]])
    #expect(folders("/h/.config", [[:], ["XDG_CONFIG_HOME": "relative"]]) == usual)
    #expect(
      folders("/h/.config", [["XDG_CONFIG_HOME": "/p"], ["HOME": "/other"]])
        == usual + [
          "/p/mozilla/firefox", "/other/.mozilla/firefox", "/other/.config/mozilla/firefox",
        ])
  }

  // MARK: Answers

  private static let errors = "org.freedesktop.DBus.Error."

  @Test("only an error that proves that the URL was not taken lets another way be tried")
  func notTaken() {
    for handOver in HandOverProtocol.allCases {
      let last = [.gtkOpen, .tauri].contains(handOver) ? 1 : 0
      for name in [
        "ServiceUnknown", "NameHasNoOwner", "UnknownMethod", "UnknownObject", "UnknownInterface",
        "NotSupported",
      ] {
        let answer = BusAnswer.error(name: Self.errors + name, text: "")
        #expect(handOver.verdict(on: answer, to: last) == .notTaken, "\(handOver) \(name)")
      }
      for name in ["NoReply", "Timeout", "TimedOut", "Disconnected"] {
        let answer = BusAnswer.error(name: Self.errors + name, text: "")
        #expect(handOver.verdict(on: answer, to: last) == .unknown, "\(handOver) \(name)")
      }
      #expect(handOver.verdict(on: .none, to: last) == .unknown)
      let refusal = BusAnswer.error(name: "net.sourceforge.mumble.Error.url", text: "bad")
      #expect(handOver.verdict(on: refusal, to: last) == .refused(why: "bad"))
    }
  }

  @Test(
    "an answer means what the protocol can say: delivered only where the call means to open the URL"
  )
  func taken() {
    let delivered: Set<HandOverProtocol> = [.gtkOpen, .mumble]
    for handOver in HandOverProtocol.allCases {
      let last = [.gtkOpen, .tauri].contains(handOver) ? 1 : 0
      #expect(
        handOver.verdict(on: .values(status: nil), to: last)
          == .taken(delivered.contains(handOver) ? .delivered : .handedOver), "\(handOver)")
    }
    for handOver in [HandOverProtocol.gtkCommandLine, .kdeCommandLine] {
      #expect(handOver.verdict(on: .values(status: 0), to: 0) == .taken(.handedOver))
      #expect(
        handOver.verdict(on: .values(status: 3), to: 0)
          == .refused(why: "its answer is the status 3"))
    }
  }

  @Test("gtk-open goes on only when command lines are refused as not supported") func proof() {
    func verdict(_ answer: BusAnswer) -> HandOverProtocol.Verdict {
      HandOverProtocol.gtkOpen.verdict(on: answer, to: 0)
    }
    #expect(verdict(.error(name: Self.errors + "NotSupported", text: "")) == .proceed)
    #expect(verdict(.error(name: Self.errors + "UnknownMethod", text: "")) == .notTaken)
    #expect(verdict(.values(status: 0)) == .taken(.handedOver))
    #expect(verdict(.none) == .unknown)
  }

  @Test("Chromium's socket gets a command line, unless the URL could be cut") func chromium() {
    var subject = HandOverProtocol.Subject(
      "http://a/", commandLine: ["/usr/bin/chromium", "--x", "http://a/"], folder: "/")
    func message() -> String? {
      HandOverProtocol.chromiumSingleton.message(for: subject).map {
        String(decoding: $0, as: UTF8.self)
      }
    }
    #expect(message() == "START\0/\0/usr/bin/chromium\0--x\0http://a/")
    subject.activationToken = "t"
    #expect(
      message() == "START\0/\0/usr/bin/chromium\0--xdg-activation-token=t\0--x\0http://a/")
    for url in ["http://a/ ", "http://a\0b", "http://" + String(repeating: "a", count: 30 << 10)] {
      subject.url = url
      subject.commandLine = ["chromium", url]
      #expect(message() == nil)
    }
    // A message of exactly 30 KiB is sent; the text before the URL takes 10 bytes.
    let longest = "http://" + String(repeating: "a", count: (30 << 10) - 17)
    for (url, isSent) in [(longest, true), (longest + "a", false)] {
      (subject.url, subject.commandLine, subject.activationToken) = (url, ["c", url], nil)
      #expect((message() != nil) == isSent)
      #expect(message().map { $0.utf8.count == 30 << 10 } ?? !isSent)
    }
    subject.commandLine = nil
    #expect(message() == nil)
    #expect(
      HandOverProtocol.chromiumSingleton.verdict(onMessage: Array("ACK".utf8))
        == .taken(.handedOver))
    #expect(
      HandOverProtocol.chromiumSingleton.verdict(onMessage: Array("SHUTDOWN".utf8)) == .ending)
    #expect(HandOverProtocol.chromiumSingleton.verdict(onMessage: Array("what".utf8)) == .unknown)
    #expect(HandOverProtocol.chromiumSingleton.verdict(onMessage: nil) == .unknown)
    #expect(HandOverProtocol.chromiumSingleton.requests(for: subject, to: "a.b") == [])
  }

  @Test("Electron gets the number of arguments before them") func electron() {
    let subject = HandOverProtocol.Subject(
      "app:1", commandLine: ["/opt/app", "--x", "app:1"], folder: "/", activationToken: "t")
    let message = HandOverProtocol.electronSingleton.message(for: subject)
    #expect(
      message.map { String(decoding: $0, as: UTF8.self) }
        == "START\0/\0" + "4\0/opt/app\0--xdg-activation-token=t\0--x\0app:1")
    #expect(
      HandOverProtocol.electronSingleton.verdict(onMessage: Array("ACK".utf8))
        == .taken(.handedOver))
  }

  @Test("QtSingleApplication gets the URL with its length, and acknowledges it") func qtLocalPeer()
  {
    let handOver = HandOverProtocol.qtLocalPeer
    func message(_ url: String) -> [UInt8]? {
      handOver.message(for: .init(url, commandLine: nil, folder: "/"))
    }
    #expect(message("a:ä") == [0, 0, 0, 4, 97, 58, 0xc3, 0xa4])
    #expect(message("a:" + String(repeating: "b", count: 300))?.prefix(5) == [0, 0, 1, 46, 97])
    #expect(message("a:b|c") == nil)
    #expect(message("a:\0") == nil)
    #expect(message("a:" + String(repeating: "b", count: (30 << 10) - 2)) != nil)
    #expect(message("a:" + String(repeating: "b", count: (30 << 10) - 1)) == nil)
    #expect(!handOver.endsWriting)
    #expect(handOver.verdict(onMessage: Array("ack".utf8)) == .taken(.handedOver))
    #expect(handOver.verdict(onMessage: Array("no".utf8)) == .unknown)
    #expect(handOver.verdict(onMessage: nil) == .unknown)
    #expect(handOver.requests(for: .init("a:b", commandLine: nil, folder: "/"), to: "a.b") == [])
    #expect(
      HandOverProtocol.gtkOpen.message(for: .init("a:b", commandLine: nil, folder: "/")) == nil)
  }

  @Test("Telegram gets a command of ASCII, and answers with the number of its process")
  func telegram() {
    func message(_ url: String) -> String? {
      HandOverProtocol.telegram.message(for: .init(url, commandLine: nil, folder: "/")).map {
        String(decoding: $0, as: UTF8.self)
      }
    }
    #expect(message("tg://a?b=c&d") == "OPEN:tg://a?b=c&d;")
    #expect(message("tg:%;ä😀\n\u{7f}") == "OPEN:tg:%0025%003B%00E4%D83D%DE00%000A%007F;")
    #expect(message("tg:" + String(repeating: "a", count: 8183)) != nil)
    #expect(message("tg:" + String(repeating: "a", count: 8184)) == nil)
    func verdict(_ answer: String?) -> HandOverProtocol.Verdict {
      HandOverProtocol.telegram.verdict(onMessage: answer.map { Array($0.utf8) })
    }
    #expect(verdict("RES:42_1;") == .taken(.handedOver))
    for answer in ["RES:42", "RES", "no;", nil] { #expect(verdict(answer) == .unknown) }
    #expect(!HandOverProtocol.telegram.isComplete(Array("RES:4".utf8)))
    #expect(HandOverProtocol.telegram.isComplete(Array("RES:4_1;".utf8)))
    #expect(
      TelegramInstance.socketName(checksum: [0xab, 0x01])
        == "ab01-{87A94AB0-E370-4cde-98D3-ACC110C5967D}")
  }

  @Test("LibreOffice greets, gets one argument, and says when the argument is processed")
  func libreOffice() {
    let handOver = HandOverProtocol.libreOffice
    func message(_ url: String) -> String? {
      handOver.message(for: .init(url, commandLine: nil, folder: "/")).map {
        String(decoding: $0, as: UTF8.self)
      }
    }
    #expect(message("vnd.a:b,c\\d") == "InternalIPC::Arguments0,vnd.a:b\\,c\\\\d\0")
    #expect(message("vnd.a:\0") == nil)
    let room = (30 << 10) - "InternalIPC::Arguments0,vnd.a:\0".utf8.count
    #expect(message("vnd.a:" + String(repeating: "a", count: room))?.utf8.count == 30 << 10)
    #expect(message("vnd.a:" + String(repeating: "a", count: room + 1)) == nil)
    #expect(handOver.greeting == Array("InternalIPC::SendArguments\0".utf8))
    #expect(!handOver.endsWriting)
    let done = Array("InternalIPC::ProcessingDone\0".utf8)
    #expect(!handOver.isComplete(Array(done.dropLast())) && handOver.isComplete(done))
    #expect(handOver.verdict(onMessage: done) == .taken(.handedOver))
    #expect(handOver.verdict(onMessage: [0]) == .unknown)
    #expect(handOver.verdict(onMessage: nil) == .unknown)
    #expect(
      LibreOfficeInstance.socketName(user: 1000, checksum: [0xab, 0x01, 0x10])
        == "OSL_PIPE_1000_SingleOfficeIPC_ab110")
  }

  @Test("a process of an application with a property list may have its URLs") func ownProcess() {
    func objection(_ application: String) -> String? {
      ReceivingProcessRule.objection(
        to: .application("com.example.chat"), of: .init(application), .other)
    }
    #expect(objection("com.example.chat") == nil)
    #expect(objection("com.example.chat.desktop") == nil)
    #expect(objection("com.example.other") != nil)
  }

  @Test(
    "a lock of Chromium names a process of this machine",
    arguments: [
      ("my-host-42", 42), ("other-42", nil), ("my-host", nil), ("my-host-", nil),
      ("my-host-0", nil), ("my-host--3", nil), ("my-host-x", nil),
    ] as [(String, Int32?)])
  func lock(_ text: String, _ pid: Int32?) {
    #expect(ChromiumSingleton.process(in: text, host: "my-host") == pid)
  }

  @Test(
    "a way of a hand-over has at most 40 small letters and hyphens",
    arguments: [
      ("arguments", true), ("chromium-singleton", true), (String(repeating: "a", count: 40), true),
      (String(repeating: "a", count: 41), false), ("", false), ("Arguments", false),
      ("a b", false), ("a1", false), ("ä", false),
    ])
  func way(_ text: String, _ isWay: Bool) {
    #expect((HandOver.Way(text) != nil) == isWay)
  }

  @Test("of several URLs in one call, the first of the least certain counts") func combined() throws
  {
    let ways = try ["a", "b", "c"].map { try #require(HandOver.Way($0)) }
    let sure = HandOver(.delivered, by: ways[0])
    let first = HandOver(.handedOver, by: ways[1])
    let second = HandOver(.handedOver, by: ways[2])
    #expect(HandOver.combined([]) == nil)
    #expect(HandOver.combined([sure, first, second])?.way.text == "b")
    #expect(HandOver.combined([second, first, sure])?.way.text == "c")
  }

  // MARK: The table

  @Test("names of an application are those of its pattern") func names() {
    let numbered = HandOverTable.Place.numbered("org.kde.chat")
    for (name, isIncluded) in [
      ("org.kde.chat", true), ("org.kde.chat-42", true), ("org.kde.chat-", false),
      ("org.kde.chat-4a", false), ("org.kde.chats", false), ("org.kde.chat.x", false),
    ] { #expect(numbered.include(name) == isIncluded, "\(name)") }
    #expect(HandOverTable.Place.exactly("a.b").include("a.b"))
    #expect(!HandOverTable.Place.exactly("a.b").include("a.bc"))
    #expect(HandOverTable.Place.beginning("a.b_").include("a.b_1"))
    #expect(!HandOverTable.Place.beginning("a.b_").include("a.b"))
    #expect(!HandOverTable.Place.profile(of: "firefox", in: ["x"]).include("org.mozilla.firefox.x"))
  }

  @Test(
    "only options that choose no other profile let a running application get the URL",
    arguments: [
      (.mozillaRemote, [], true), (.mozillaRemote, ["-new-tab"], true),
      (.mozillaRemote, ["--name", "firefox-esr", "--new-window"], true),
      (.mozillaRemote, ["-P", "work"], false), (.mozillaRemote, ["--profile", "/a"], false),
      (.mozillaRemote, ["--name"], false), (.mozillaRemote, ["---new-tab"], false),
      (.mozillaRemote, ["a"], false),
      (.chromiumSingleton, ["--incognito", "--profile-directory=Work"], true),
      (.chromiumSingleton, ["--user-data-dir=/a"], false),
      (.chromiumSingleton, ["--user-data-dir", "/a"], false), (.gtkOpen, ["-m"], true),
      (.electronSingleton, ["--user-data-dir=/a"], false), (.electronSingleton, ["--x"], true),
      (.telegram, ["--"], true), (.telegram, ["-workdir", "/a", "--"], false),
      (.libreOffice, [], true), (.libreOffice, ["-env:UserInstallation=file:///a"], false),
      (.qtLocalPeer, [], true), (.qtLocalPeer, ["--profile=a"], false),
    ] as [(HandOverProtocol, [String], Bool)])
  func profiles(_ handOver: HandOverProtocol, _ options: [String], _ isAllowed: Bool) {
    #expect(handOver.allows(["/usr/bin/program"] + options) == isAllowed)
    let withVariables = ["env", "HOME=/a", "program"] + options
    #expect(handOver.allows(withVariables) == (handOver == .gtkOpen))
  }

  @Test("each error of an application that the bus has started is its own; no answer is unknown")
  func activated() {
    func verdict(_ answer: BusAnswer) -> HandOverProtocol.Verdict {
      HandOverProtocol.verdictOnActivated(answer)
    }
    #expect(verdict(.values(status: nil)) == .taken(.delivered))
    #expect(
      verdict(.error(name: "org.freedesktop.DBus.Error.ServiceUnknown", text: "no"))
        == .refused(why: "no"))
    #expect(
      verdict(.error(name: "org.freedesktop.DBus.Error.NotSupported", text: "no")) == .notTaken)
    #expect(verdict(.error(name: "org.freedesktop.DBus.Error.NoReply", text: "")) == .unknown)
    #expect(verdict(.none) == .unknown)
  }

  @Test("applications are found by their desktop file ID; others have no entry") func table() {
    #expect(HandOverTable.entry(for: "transmission-gtk.desktop")?.handOver == .gtkOpen)
    #expect(HandOverTable.entry(for: "firefox-esr.desktop")?.handOver == .mozillaRemote)
    #expect(HandOverTable.entry(for: "transmission-gtk") == nil)
  }
}

@Suite("Whether a process runs the program of a desktop entry") struct RunningProgramRuleTests {
  private func owns(
    _ path: String, isScript: Bool = false, _ words: [String], _ executable: String,
    _ commandLine: [String]
  ) -> Bool {
    StartedProgramRule.isRun(
      .init(path: path, isScript: isScript, words: words), by: executable, commandLine)
  }

  @Test("the options of Exec need not be those of the process that owns a name") func options() {
    let hexchat = "/usr/bin/hexchat"
    #expect(!StartedProgramRule.isRun(["hexchat", "--existing"], by: [hexchat]))
    #expect(owns(hexchat, ["hexchat", "--existing"], hexchat, [hexchat]))
    let python = "/usr/bin/python3.11"
    let script = ["python3", "/opt/chat.py", "-v"]
    #expect(owns(python, script, python, ["python3", "/opt/chat.py"]))
    #expect(!owns(python, script, python, ["python3", "/tmp/other.py"]))
    let withVariables = ["/usr/bin/env", "A=1", "B=2", "/snap/bin/chat", "-x"]
    #expect(owns("/snap/bin/chat", withVariables, "/snap/bin/chat", ["chat"]))
    #expect(StartedProgramRule.isRun(withVariables, by: ["/snap/bin/chat", "-x", "chat:1"]))
  }

  @Test("a program of the same name elsewhere is an impostor") func impostor() {
    let program = "/usr/bin/transmission-gtk"
    #expect(!owns(program, ["transmission-gtk"], "/tmp/evil/transmission-gtk", [program]))
    // The process has given itself the name.
    #expect(
      !owns(program, ["transmission-gtk"], "/usr/bin/python3.11", ["python3", program]))
    #expect(!owns(program, ["transmission-gtk"], "/usr/bin/python3.11", [program]))
  }

  @Test("the script of a program starts the program of the same installation, or is run itself")
  func script() {
    let chromium = "/usr/bin/chromium"
    #expect(owns(chromium, isScript: true, ["chromium"], "/usr/lib/chromium/chromium", []))
    #expect(!owns(chromium, isScript: false, ["chromium"], "/usr/lib/chromium/chromium", []))
    #expect(!owns(chromium, isScript: true, ["chromium"], "/home/a/chromium", []))
    let office = "/usr/lib/libreoffice/program/soffice"
    #expect(owns(office, isScript: true, ["libreoffice"], office + ".bin", []))
    #expect(!owns(office, isScript: true, ["libreoffice"], "/tmp/soffice.bin", []))
    #expect(!owns(office, isScript: false, ["libreoffice"], office + ".bin", []))
    #expect(
      owns(
        "/opt/google/chrome/chrome", isScript: true, ["google-chrome"],
        "/opt/google/chrome/chrome", []))
    let gajim = "/usr/bin/gajim"
    #expect(
      owns(gajim, isScript: true, ["gajim"], "/usr/bin/python3.11", ["/usr/bin/python3", gajim]))
    #expect(
      !owns(gajim, isScript: true, ["gajim"], "/usr/bin/python3.11", ["python3", "/tmp/gajim"]))
  }

  @Test("a forwarding process hands over to the only process that ran before") func owner() {
    let owner = HandOver.Owner(pid: 7, startTime: 1)
    let forwarded = StartedProgramRule.handOver(
      status: 0, ranBefore: true, owner: owner, process: 42, of: .gtkOpen)
    #expect((forwarded?.owner, forwarded?.process) == (owner, 7))
    let running = StartedProgramRule.handOver(
      status: nil, ranBefore: true, owner: owner, process: 42)
    #expect((running?.owner, running?.process) == (nil, 42))
  }

  @Test("Variables before the program choose another instance only when they name its place")
  func variables() {
    for handOver in [HandOverProtocol.chromiumSingleton, .mozillaRemote, .telegram] {
      #expect(handOver.allows(["env", "FOO=1", "BAMF_DESKTOP_FILE_HINT=/x", "/usr/bin/app"]))
      #expect(handOver.allows(["/usr/bin/app"]))
      for variable in ["HOME=/x", "XDG_CONFIG_HOME=/x", "MOZ_X=1", "DBUS_SESSION_BUS_ADDRESS=x"] {
        #expect(!handOver.allows(["env", "FOO=1", variable, "/usr/bin/app"]), "\(variable)")
      }
    }
  }
}
