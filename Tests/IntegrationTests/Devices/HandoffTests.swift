import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

@MainActor @Suite("Handoff of calls", .timeLimit(.minutes(30))) struct HandoffTests {
  @Test(
    "configured and reachable: tel and sms go to the phone, as by Handoff, and no application is needed",
    arguments: [("isPaired", "Pixel 7"), ("isTrusted", "_a1_")])
  func reachable(_ property: String, _ name: String) async throws {
    try await StandIn.run(callsFrom: name) { world in
      let phone = try await StandIn.start(paired: property, in: world)
      let agent = try await world.confirmationAgent()
      let call = world.client.opening("tel:+1-408-555-5555")
      #expect(
        try await agent.isAsked().sentence == "Let a program call +1-408-555-5555 with Pixel 7?")
      #expect(StandIn.shared(phone) == [])
      agent.answer(true)
      let receipt = try await call.receipt()
      #expect(receipt.handler == "device:Pixel 7" && receipt.outcome == .handedOverWarm)
      #expect(receipt.pid == 0)
      #expect(
        receipt.trail == [
          "resolved", "confirming", "confirmed", "delivering", "kdeconnect", "handed-over",
        ])
      let message = world.client.opening("sms:+14085555555")
      #expect(
        try await agent.isAsked().sentence
          == "Let a program write a message to +14085555555 with Pixel 7?")
      agent.answer(true)
      #expect(try await message.receipt().handler == "device:Pixel 7")
      try await phone.line(containing: "sms:")
      #expect(
        StandIn.shared(phone) == [
          "shared _a1_ tel:+1-408-555-5555", "shared _a1_ sms:+14085555555",
        ])
      let history = try await world.client.call(Contract.history(HistoryOptions())).first?
        .asOptionsList
      #expect(
        history?.map { $0[Key.handler] } == Array(repeating: .string("device:Pixel 7"), count: 2))
      #expect(history?.map { $0[Key.fate] } == Array(repeating: .string("handed-over"), count: 2))
    }
  }

  @Test("not configured: tel of macOS goes to FaceTime, and KDE Connect is not asked")
  func notConfigured() async throws {
    try await StandIn.run { world in
      let phone = try await StandIn.start(in: world)
      let faceTime = try await world.install(
        "org.launchservices.system.FaceTime", schemes: ["facetime"]
      ) { $0.place = .systemFolder }
      let mac = try await world.install("com.example.mac", schemes: ["mac"]) {
        $0.sdk = Profile.macOS.rawValue
      }
      _ = try await world.client.open("mac:1")
      let answer = try await mac.open("tel:1")
      #expect(answer.handler == "org.launchservices.system.FaceTime", "\(answer)")
      try await faceTime.next(.opened("tel:1"))
      #expect(!phone.lines.contains("listed"))
    }
  }

  @Test(
    "not reachable, not paired, unknown, KDE Connect not running: an error with the next step",
    arguments: [
      ("_a1_:Pixel 7:phone:p", "Pixel 7 is not reachable: unlock the device"),
      ("_a1_:Pixel 7:phone:r", "Pixel 7 is not paired: run 'kdeconnect-cli --pair --device _a1_'"),
      ("_b2_:Nokia:phone:pr", #"no device is called "Pixel 7"; 'lsregister devices' lists"#),
      ("", "KDE Connect does not run; 'lsregister devices' starts KDE Connect"),
    ])
  func notReachable(_ device: String, _ sentence: String) async throws {
    try await StandIn.run(callsFrom: "Pixel 7") { world in
      if !device.isEmpty { try await StandIn.start(devices: [device], in: world) }
      // Phone does not get the call in place of the device.
      let phone = try await world.install(
        "org.launchservices.system.Phone", schemes: ["tel"]
      ) { $0.place = .systemFolder }
      let refusal = await #expect(throws: Refusal.self) {
        try await world.client.open("tel:1")
      }
      #expect(refusal?.name == Refusal("DeviceUnavailable", "").name)
      #expect(refusal?.text.contains(sentence) == true, "\(refusal?.text ?? "")")
      #expect(phone.heard() == [])
      let explanation = try await world.client.explain("tel:1")
      #expect(!explanation.wouldOpen)
      #expect(explanation.sentence(of: "open")?.contains(sentence) == true)
    }
  }

  @Test("declined: a call of a macOS application asks first, and a no sends nothing")
  func declinedToApplication() async throws {
    try await StandIn.run(callsFrom: "Pixel 7") { world in
      let phone = try await StandIn.start(in: world)
      let agent = try await world.confirmationAgent()
      let faceTime = try await world.install(
        "org.launchservices.system.FaceTime", schemes: ["facetime"]
      ) { $0.place = .systemFolder }
      let mac = try await world.install("com.example.mac", schemes: ["mac"]) {
        $0.sdk = Profile.macOS.rawValue
      }
      _ = try await world.client.open("mac:1")
      let call = Task { try await mac.open("tel:1") }
      #expect(try await agent.isAsked().opener == "com.example.mac")
      agent.answer(false)
      let refusal = await #expect(throws: Refusal.self) { try await call.value }
      #expect(refusal?.name == Refusal("ConfirmationDeclined", "").name)
      #expect(StandIn.shared(phone) == [] && faceTime.heard() == [])
    }
  }

  @Test("the setting Confirmations switches the question off") func switchedOff() async throws {
    let row = "<key>Confirmations</key><dict><key>handoff-application</key><false/></dict>"
    try await StandIn.run(callsFrom: "Pixel 7", settings: row) { world in
      let phone = try await StandIn.start(in: world)
      let receipt = try await world.client.open("tel:1")
      #expect(receipt.trail == ["resolved", "delivering", "kdeconnect", "handed-over"])
      #expect(StandIn.shared(phone) == ["shared _a1_ tel:1"])
    }
  }

  @Test("nobody can be asked: the error says so, and nothing is sent") func unasked()
    async throws
  {
    try await StandIn.run(callsFrom: "Pixel 7") { world in
      let phone = try await StandIn.start(in: world)
      let explanation = try await world.client.explain("tel:1")
      #expect(
        explanation.sentence(of: "confirmation")
          == "the user is asked (row handoff-application of the setting Confirmations)")
      let refusal = await #expect(throws: Refusal.self) { try await world.client.open("tel:1") }
      #expect(refusal?.name == Refusal("ConfirmationUnavailable", "").name)
      #expect(StandIn.shared(phone) == [])
    }
  }

  @Test("declined: a call from a web page asks first, and a no sends nothing") func declined()
    async throws
  {
    try await StandIn.run(callsFrom: "Pixel 7") { world in
      let phone = try await StandIn.start(in: world)
      let agent = try await world.confirmationAgent()
      var options = OpenOptions()
      options.isLink = true
      let open = world.client.opening("tel:1", options)
      #expect(
        try await agent.isAsked().sentence == "Let a web page call 1 with Pixel 7?")
      agent.answer(false)
      let refusal = await #expect(throws: Refusal.self) { try await open.receipt() }
      #expect(refusal?.name == Refusal("ConfirmationDeclined", "").name)
      #expect(StandIn.shared(phone) == [])

      let second = world.client.opening("tel:2", options)
      _ = try await agent.isAsked()
      agent.answer(true)
      #expect(
        try await second.receipt().trail == [
          "resolved", "confirming", "confirmed", "delivering", "kdeconnect", "handed-over",
        ])
      #expect(StandIn.shared(phone) == ["shared _a1_ tel:2"])
    }
  }

  @Test("the phone leaves while the user is asked: the error says that nothing was sent")
  func leavesMeanwhile() async throws {
    try await StandIn.run(callsFrom: "Pixel 7") { world in
      let phone = try await StandIn.start(in: world)
      let agent = try await world.confirmationAgent()
      var options = OpenOptions()
      options.isLink = true
      let open = world.client.opening("tel:1", options)
      _ = try await agent.isAsked()
      try await phone.stop()
      agent.answer(true)
      let refusal = await #expect(throws: Refusal.self) { try await open.receipt() }
      #expect(refusal?.name == Refusal("DeviceUnavailable", "").name)
      #expect(refusal?.text.contains("nothing was sent") == true, "\(refusal?.text ?? "")")
    }
  }

  @Test("R9.6 a number with * or # is not sent to a phone either") func forbidden() async throws {
    try await StandIn.run(callsFrom: "Pixel 7") { world in
      let phone = try await StandIn.start(in: world)
      let refusal = await #expect(throws: Refusal.self) {
        try await world.client.open("tel:*21*1%23")
      }
      #expect(refusal?.name == Refusal("InvalidURL", "").name)
      #expect(StandIn.shared(phone) == [])
    }
  }
}
