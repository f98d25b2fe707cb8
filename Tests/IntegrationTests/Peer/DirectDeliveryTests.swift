import BusContract
import DBus
internal import DBusMainLoop
import Glibc
import LaunchServicesTesting
import Testing

/// Handlers that hear from the daemon with no bus between.
@Suite("Direct deliveries", .timeLimit(.minutes(30)))
struct DirectDeliveryTests {
  private static let photos = "com.example.photos"

  private static func script(_ deliveries: [HandlerScript.Step]...) -> HandlerScript {
    HandlerScript(
      launch: [.checkIn(), .finishLaunching(), .hearDirectly, .report],
      deliveries: deliveries.isEmpty ? [[.answer(true)]] : deliveries)
  }

  /// Returns the process, which hears directly.
  @MainActor private static func launch(_ photos: ScriptedHandler, _ world: Testbed) async throws
    -> Int32
  {
    let pid = try await world.client.open("photos:0").pid
    while true {
      if case .facts = try await photos.next() { return pid }
    }
  }

  @Test("Handlers of the library hear directly, with the bus standing still and of a new daemon")
  func library() async throws {
    try await Testbed.run(["--log-level", "info"]) { world in
      try await Example.photoAlbum.register(in: world)
      let pid = try await world.client.open("myphotoapp:A?index=1").pid
      try await world.daemon.line(
        containing: "deliveries to an application use its direct connection")
      try await world.killDaemon()
      try await world.startDaemon(["--log-level", "info"])
      try await world.daemon.line(
        containing: "deliveries to an application use its direct connection")
      let client = try await world.newDirectClient()
      // The handler answers what comes directly once it has heard over the bus that it may.
      _ = try await client.open("myphotoapp:B?index=2")
      let bus = world.busProcess
      bus.signal(SIGSTOP)
      defer { bus.signal(SIGCONT) }
      let receipt = try await client.open("myphotoapp:C?index=3")
      #expect(receipt.outcome == .deliveredWarm)
      #expect(receipt.pid == pid)
    }
  }

  @Test("What is opened while it changes over arrives once, and in order") func changingOver()
    async throws
  {
    try await Testbed.run { world in
      let photos = try await world.install(Self.photos, schemes: ["photos"], Self.script())
      let urls = (1...200).map { "photos:\($0)" }
      let opens = urls.map { world.client.opening($0) }
      for open in opens { _ = try await open.receipt() }
      let opened = photos.heard().compactMap { event -> String? in
        if case .opened(let urls) = event { urls.first?.url } else { nil }
      }
      #expect(opened == urls)
    }
  }

  @Test(
    "The end of the process is told as it is over the bus",
    arguments: [
      (HandlerScript.Step.crash, "was ended by SIGKILL (signal 9)"),
      (.exit(3), "exited with code 3"), (.leaveBus, "it left the bus"),
    ])
  func ending(_ step: HandlerScript.Step, _ how: String) async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        Self.photos, schemes: ["photos"], Self.script([.answer(true)], [step]))
      _ = try await Self.launch(photos, world)
      let refusal = await #expect(throws: Refusal.self) {
        try await world.client.open("photos:1")
      }
      #expect(refusal?.name == "org.launchservices.Error.HandlerExited")
      #expect(refusal?.text.contains(how) == true, "\(refusal?.text ?? "")")
    }
  }

  @Test("An open that was answered before the end succeeds, each time") func answered()
    async throws
  {
    try await Testbed.run { world in
      let photos = try await world.install(
        Self.photos, schemes: ["photos"], Self.script([.answer(true)], [.answer(true), .crash]))
      for number in 1...20 {
        _ = try await Self.launch(photos, world)
        #expect(try await world.client.open("photos:\(number)").outcome == .deliveredWarm)
        try await photos.hasLeftTheBus()
      }
    }
  }

  @Test("Only who has checked in is delivered to, and only on a connection of the same process")
  func strangers() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        Self.photos, schemes: ["photos"], .launching(.checkIn(), .finishLaunching(), .report))
      let pid = try await Self.launch(photos, world)
      let stranger = try await world.newDirectClient()
      #expect(try await stranger.call(Contract.deliverDirectly()).first == .boolean(true))
      await #expect(
        throws: Refusal("NotPermitted", "call CheckIn before DeliverDirectly")
      ) { try await world.client.call(Contract.deliverDirectly()) }
      // The offer of the stranger is not taken for the application.
      let receipt = try await world.client.open("photos:1")
      #expect(receipt.pid == pid)
      #expect(photos.heard().last == .opened("photos:1"))
    }
  }

  @Test("Who is met by its bus name has not checked in") func named() async throws {
    try await Testbed.run { world in
      try await world.installPaintBox()
      let paint = try BusApplication(in: world)
      #expect(try await world.client.open("paint-box:1").outcome == .deliveredWarm)
      await #expect(
        throws: BusError(
          "org.launchservices.Error.NotPermitted", "call CheckIn before DeliverDirectly")
      ) { try await paint.session.call(Contract.deliverDirectly()) }
    }
  }

  @Test("An open ends when the handler closes its direct connection and checks in again")
  func closing() async throws {
    try await Testbed.run { world in
      try await world.installPaintBox(profile: .macOS)
      let paint = try BusApplication(in: world)
      #expect(try await world.client.open("paint-box:0").outcome == .deliveredWarm)
      let options = CheckInOptions(bundleIdentifier: BusApplication.identifier)
      // From now on it is spoken to as any application of ours.
      _ = try await paint.session.call(Contract.checkIn(options))
      let environment = world.environment
      let socket = try #require(DirectSocket.path { environment[$0] })
      let direct = try BusSession(Connection(socket: socket, within: .seconds(20)))
      var heard: [PendingCall] = []
      direct.onCall = { heard.append($0) }
      direct.start()
      _ = try await direct.call(Contract.deliverDirectly())
      _ = try await paint.session.call(Contract.deliverDirectly())
      let open = world.client.opening("paint-box:1")
      try await waitUntil("the delivery") { !heard.isEmpty }
      direct.connection?.close()
      let other = try BusSession(Connection(address: environment["DBUS_SESSION_BUS_ADDRESS"]))
      other.start()
      for session in [paint.session, other] {
        _ = await #expect(throws: BusError.self) {
          try await session.call(Contract.checkIn(options))
        }
      }
      let refusal = await #expect(throws: Refusal.self) { try await open.receipt() }
      #expect(
        refusal?.text.contains(
          "the application closed the direct connection during the"
            + " delivery") == true,
        "\(refusal?.text ?? "")")
    }
  }

  @Test("Documents are open files for a handler that hears directly, too") func descriptors()
    async throws
  {
    try await Testbed.run { world in
      try await world.installCoreTypes()
      var script = Self.script()
      script.wantsDescriptors = true
      let text = try await world.install(Self.photos, opening: ["public.text"], script)
      _ = try await world.client.openApplication(Self.photos)
      while true {
        if case .facts = try await text.next() { break }
      }
      let url = try world.write(document: "a.txt", "in the file")
      let fates = try await world.client.openDocuments([url])
      #expect(fates.first?.receipt?.outcome == .deliveredWarm)
      #expect(
        text.heard() == [.opened([OpenedURL(url, openInPlace: false, contents: "in the file")])])
    }
  }
}
