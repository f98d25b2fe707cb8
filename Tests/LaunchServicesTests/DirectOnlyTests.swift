import BusContract
import FoundationEssentials
import LaunchServicesTesting
import Testing

@testable import LaunchServices

/// The library where no session bus runs.
@MainActor @Suite("An application without a bus", .timeLimit(.minutes(30)))
struct DirectOnlyTests {
  private static let noBus = ["DBUS_SESSION_BUS_ADDRESS": ""]

  /// This process as a registered application, and the other one that it may ask about.
  private static func run(
    startsDaemon: Bool = true, besideBus: Bool = false,
    _ body: (Testbed, Application) async throws -> Void
  ) async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try await world.install("com.example.photos", schemes: ["photos", "other"])
      let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      let list = """
        <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>com.example.caller</string>
        <key>ProgramArguments</key><array><string>\(program)</string></array>
        <key>LSApplicationQueriesSchemes</key><array><string>photos</string></array></dict></plist>
        """
      try Data(list.utf8).write(to: URL(filePath: world.applicationsFolder + "/caller.plist"))
      if startsDaemon {
        let daemon = try world.startProcess(
          "launchservicesd", ["--direct-only", "--fetch-associations", "no"], environment: noBus)
        try await daemon.line(containing: "ready socket=")
      }
      if besideBus {
        let environment = world.environment
        let connection = DaemonConnection(address: environment["DBUS_SESSION_BUS_ADDRESS"]) {
          environment[$0].flatMap { $0.isEmpty ? nil : $0 }
        }
        return try await body(world, Application(connection))
      }
      let environment = world.environment.merging(noBus) { $1 }
      let socket = try #require(
        DirectSocket.path { environment[$0].flatMap { $0.isEmpty ? nil : $0 } })
      let nowhere = "unix:path=\(world.folder)/nobody"
      try await body(world, Application(DaemonConnection(address: nowhere, socket: socket)))
    }
  }

  private static func url(_ text: String) -> URL { URL(string: text)! }

  @Test("asks under its own property list", arguments: [false, true])
  func canOpen(besideBus: Bool) async throws {
    try await Self.run(besideBus: besideBus) { _, application in
      #expect(application.canOpenURL(Self.url("photos:1")))
      #expect(!application.canOpenURL(Self.url("other:1")))
      #expect(!application.canOpenURL(Self.url("nobody:1")))
    }
  }

  @Test(
    "opens URLs with another application that checks in without a bus", arguments: [false, true])
  func open(besideBus: Bool) async throws {
    try await Self.run(besideBus: besideBus) { world, application in
      let list = """
        <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.stub</string>
        <key>ProgramArguments</key><array><string>\(try Programs.find("scripted-handler"))</string>
        <string>--stub</string></array><key>CFBundleURLTypes</key><array><dict>
        <key>CFBundleURLSchemes</key><array><string>stub</string></array></dict></array></dict></plist>
        """
      try Data(list.utf8).write(to: URL(filePath: world.applicationsFolder + "/stub.plist"))
      // The daemon has noticed the file when it answers.
      try await waitUntil("an application for stub") {
        (try? await application.deliver(Self.url("stub:0"))) != nil
      }
      let receipt = try await application.deliver(Self.url("stub:1"))
      #expect(receipt.delivery == .delivered)
      #expect(await application.open(Self.url("stub:2")))
    }
  }

  @Test("finds the next daemon beside a bus") func nextDaemon() async throws {
    try await Self.run(startsDaemon: false, besideBus: true) { world, application in
      for _ in 0..<2 {
        #expect(!application.canOpenURL(Self.url("photos:1")))
        await #expect(throws: OpenError.self) {
          try await application.deliver(Self.url("photos:1"))
        }
        let daemon = try world.startProcess(
          "launchservicesd", ["--direct-only", "--fetch-associations", "no"])
        try await daemon.line(containing: "ready socket=")
        #expect(application.canOpenURL(Self.url("photos:1")))
        let error = await #expect(throws: OpenError.self) {
          try await application.deliver(Self.url("nobody:1"))
        }
        #expect(
          error?.message.contains("no application is registered for the scheme nobody") == true)
        #expect(try await daemon.stop() == "exited with code 0")
      }
    }
  }

  @Test("gives no URL to a process that is not launchservicesd", arguments: [false, true])
  func impostor(besideBus: Bool) async throws {
    try await Self.run(startsDaemon: false, besideBus: besideBus) { world, application in
      // The kernel says that the process runs another file, although the file has the same contents.
      let program = world.folder + "/copy/launchservicesd"
      try FileManager.default.createDirectory(
        atPath: world.folder + "/copy", withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: try Programs.find("launchservicesd"), toPath: program)
      let impostor = try world.startProcess(
        program, ["--direct-only", "--fetch-associations", "no"],
        environment: besideBus ? [:] : Self.noBus)
      try await impostor.line(containing: "ready socket=")
      if besideBus {
        #expect(!application.canOpenURL(Self.url("photos:1")))
        let error = await #expect(throws: OpenError.self) {
          try await application.deliver(Self.url("nobody:secret"))
        }
        #expect(
          error?.message.contains("has locked the state folder") == true, "\(error?.message ?? "")")
      } else {
        let environment = world.environment.merging(Self.noBus) { $1 }
        let socket = DirectSocket { environment[$0].flatMap { $0.isEmpty ? nil : $0 } }
        #expect(try #require(socket).connection() == nil)
      }
      _ = try await impostor.stop()
    }
  }

  @Test("is told that nothing can be reached where there is no daemon either") func nothing()
    async throws
  {
    try await Self.run(startsDaemon: false) { world, application in
      #expect(!application.canOpenURL(Self.url("photos:1")))
      let error = await #expect(throws: OpenError.self) {
        try await application.deliver(Self.url("photos:1"))
      }
      #expect(
        error?.message
          == "Launch Services did not answer: Failed to connect to socket \(world.folder)/nobody: No"
          + " such file or directory")
    }
  }
}
