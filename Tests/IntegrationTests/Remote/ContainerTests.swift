import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

/// Containers and forwarders: what they may do on the socket of a remote, and what they may not do on the sockets of
/// the user.
@MainActor
@Suite("Containers and forwarders", .timeLimit(.minutes(30)))
struct ContainerTests {
  /// Runs a program of the build in a container.
  private func run(
    _ world: Testbed, _ engine: ContainerEngine, _ program: String, _ arguments: [String],
    binds: [String: String], environment: [String: String]
  ) async throws -> (end: String, lines: [String]) {
    var environment = environment
    for name in ["LD_LIBRARY_PATH", "LLVM_PROFILE_FILE"] {
      if let value = world.environment[name] { environment[name] = value }
    }
    let folder = try ContainerFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = Fixture.program(program)
    let command = try engine.command(
      path, arguments, in: folder.path, binds: binds,
      // The project may be below /tmp.
      readOnly: [(path as NSString).deletingLastPathComponent], environment: environment)
    let process = try world.startProcess(command.program, command.arguments)
    let end = try await process.hasEnded()
    return (end, process.lines)
  }

  @Test(
    "a container with the socket of a remote opens web pages, may not use --as, and sees no other socket",
    .runs(in: .bubblewrap))
  func remote() async throws { try await remote(.bubblewrap) }

  @Test(
    "the same in a container of podman",
    .runs(in: .podman))
  func remoteInPodman() async throws { try await remote(.podman) }

  private func remote(_ engine: ContainerEngine) async throws {
    try await Testbed.run { world in
      let browser = try await world.install("com.example.browser", schemes: ["https"])
      let socket = try await world.addRemote("box")
      _ = try await world.addRemote("other")
      let folder = String(socket[..<(socket.lastIndex(of: "/") ?? socket.endIndex)])
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["socket"])
      @MainActor func lsopen(_ arguments: [String]) async throws -> (end: String, lines: [String]) {
        try await run(
          world, engine, "lsopen", arguments, binds: [folder: "/run/launch-services"],
          environment: [RemoteSocket.variable: "/run/launch-services/socket"])
      }
      let opened = try await lsopen(["https://example.com/1"])
      #expect(opened.end == "exited with code 0", "\(opened.lines)")
      try await browser.next(.opened("https://example.com/1"))
      #expect(try await world.history().first?["caller"] == .string("remote:box"))
      let refused = try await lsopen(["--as", "com.example.browser", "https://example.com/2"])
      #expect(refused.end == "exited with code 4")
      #expect(
        refused.lines.contains { $0.contains("opens URLs for itself only") }, "\(refused.lines)")
      // The mounted folder still leads to the socket that the next daemon makes.
      try await world.restartDaemon()
      #expect(try await lsopen(["https://example.com/3"]).end == "exited with code 0")
    }
  }

  @Test(
    "a process of a container that holds a connection of its remote loses the connection with the remote",
    .runs(in: .bubblewrap))
  func heldConnection() async throws {
    try await Testbed.run { world in
      let socket = try await world.addRemote("box")
      let folder = String(socket[..<(socket.lastIndex(of: "/") ?? socket.endIndex)])
      let script = """
        import socket
        def connect():
            client = socket.socket(socket.AF_UNIX)
            client.connect("/run/launch-services/socket")
            client.sendall(b"\\0AUTH ANONYMOUS\\r\\n")
            print(client.recv(100).split()[0].decode(), flush=True)
            client.sendall(b"BEGIN\\r\\n")
            return client
        print(len(connect().recv(100)), flush=True)
        try:
            connect()
        except OSError:
            print("no socket")
        """
      let container = try ContainerFolder()
      defer { withExtendedLifetime(container) {} }
      let command = try ContainerEngine.bubblewrap.command(
        "/usr/bin/python3", ["-c", script], in: container.path,
        binds: [folder: "/run/launch-services"], readOnly: [], environment: [:])
      let holder = try world.startProcess(command.program, command.arguments)
      try await holder.line(containing: "OK")
      let removal = try world.startProcess("lsregister", ["remote", "remove", "box"])
      #expect(try await removal.hasEnded() == "exited with code 0", "\(removal.lines)")
      #expect(try await holder.hasEnded() == "exited with code 0", "\(holder.lines)")
      #expect(holder.lines == ["OK", "0", "no socket"])
    }
  }

  @Test(
    "on the sockets of the user, a container may not use --as, the registry and approvals",
    .runs(in: .bubblewrap))
  func direct() async throws { try await direct(.bubblewrap) }

  @Test(
    "nor may a container of podman",
    .runs(in: .podman))
  func directInPodman() async throws { try await direct(.podman) }

  private func direct(_ engine: ContainerEngine) async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      _ = try await world.newDirectClient()
      let runtime = try #require(world.environment["XDG_RUNTIME_DIR"])
      let bus = try #require(world.environment["DBUS_SESSION_BUS_ADDRESS"])
      // The folder of the testbed has the sockets of the daemon and of the bus.
      @MainActor func run(_ program: String, _ arguments: [String]) async throws -> (
        end: String, lines: [String]
      ) {
        try await self.run(
          world, engine, program, arguments, binds: [world.folder: world.folder],
          environment: [
            "XDG_RUNTIME_DIR": runtime, "DBUS_SESSION_BUS_ADDRESS": bus, "HOME": world.folder,
            "DISPLAY": ":7",
          ])
      }
      let advice = "lsregister remote add NAME"
      for (program, arguments) in [
        ("lsopen", ["--as", "com.example.photos", "--can-open", "photos:1"]),
        ("lsopen", ["--as", "com.example.photos", "photos:1"]),
        ("lsopen", ["-b", "com.example.photos"]),
        ("lsopen", ["-b", "com.example.photos", "photos:1"]),
        ("lsopen", ["--env", "PATH=/tmp", "photos:1"]), ("lsopen", ["-n", "photos:1"]),
        ("lsregister", ["list"]), ("lsregister", ["approvals", "list"]),
        ("lsregister", ["remote", "add", "mine"]),
        ("lsregister", ["default", "photos", "com.example.photos"]),
      ] {
        let (end, lines) = try await run(program, arguments)
        #expect(end == "exited with code 4", "\(program) \(arguments): \(lines)")
        #expect(lines.contains { $0.contains(advice) }, "\(program) \(arguments): \(lines)")
      }
      // A custom scheme is asked for as for a page.
      let agent = try await world.confirmationAgent()
      async let opened = run("lsopen", ["photos:2"])
      let question = try await agent.isAsked()
      #expect(question.opener == "@web")
      agent.answer(true)
      #expect(try await opened.end == "exited with code 0")
    }
  }

  @Test("a forwarder is no program of the user, whatever calls it passes on") func forwarder()
    async throws
  {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      _ = try await world.newDirectClient()
      // An executable with the name of a forwarder connects. The calls that it passes on are those of lsopen.
      let folder = world.folder + "/bin"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for (name, program) in [("ssh", "lsopen"), ("socat", "lsregister")] {
        try FileManager.default.copyItem(
          atPath: Fixture.program(program), toPath: folder + "/" + name)
      }
      let libraries = URL(filePath: Fixture.program("lsopen")).deletingLastPathComponent().path
      let environment = [
        "LD_LIBRARY_PATH": [libraries, world.environment["LD_LIBRARY_PATH"]].compactMap(\.self)
          .joined(separator: ":")
      ]
      for (name, arguments) in [
        ("ssh", ["--as", "com.example.photos", "photos:1"]), ("socat", ["list"]),
        ("socat", ["approvals", "list"]),
      ] {
        let process = try world.startProcess(
          folder + "/" + name, arguments, environment: environment)
        #expect(try await process.hasEnded() == "exited with code 4", "\(process.lines)")
        #expect(
          process.lines.contains {
            $0.contains("the caller is \(name), which passes on the calls of other programs")
              && $0.contains("lsregister remote add NAME")
          }, "\(process.lines)")
      }
      let document = try world.startProcess(
        folder + "/ssh", ["file:///etc/passwd"], environment: environment)
      #expect(try await document.hasEnded() == "exited with code 4")
      // Pages of the local network are asked about, and opens have a limit, as for a remote.
      let browser = try await world.install("com.example.browser", schemes: ["http", "https"])
      let agent = try await world.confirmationAgent()
      for url in ["http://192.168.178.1/", "http://localhost:631/", "http://nas.local/"] {
        let page = try world.startProcess(folder + "/ssh", [url], environment: environment)
        #expect("\(try await agent.isAsked())".contains("a container or a forwarded connection"))
        agent.answer(false)
        #expect(try await page.hasEnded() == "exited with code 4")
      }
      let many = try world.startProcess(
        folder + "/ssh", (1...35).map { "https://example.com/\($0)" }, environment: environment)
      #expect(try await many.hasEnded() == "exited with code 4", "\(many.lines)")
      #expect(
        many.lines.contains {
          $0.contains("MaximumRemoteOpens") && $0.contains("lsregister remote add NAME")
        }, "\(many.lines)")
      let opened = browser.heard().count { if case .opened = $0 { true } else { false } }
      #expect((1...30).contains(opened))
    }
  }
}
