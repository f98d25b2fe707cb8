import DBus
import LaunchServicesTesting
import Testing

@Suite("A call that takes long", .timeLimit(.minutes(30)))
struct ProbeTests {
  @Test(
    "the other end that does not answer the probe either is told of once, and the late reply is kept"
  )
  func silence() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let address = try #require(world.environment["DBUS_SESSION_BUS_ADDRESS"])
      let caller = try Connection(address: address)
      let called = try Connection(address: address)
      let name = try #require(BusName(called.uniqueName))
      func message(_ member: MemberName) -> Message {
        .call(to: name, path: "/", interface: "a.b", member: member)
      }
      var silences = 0
      let probe = Probe(after: .zero, patience: .zero, { message("Probe") }) { silences += 1 }
      #expect(throws: BusError.timedOut) {
        try caller.callAndWait(
          message("M"), milliseconds: 50, probing: probe, answering: { _, _ in })
      }
      #expect(silences == 1)
      #expect(caller.takeLateReply(within: 1) == nil)

      called.flush()
      var members: [String] = []
      while members.count < 2, called.exchangeAvailable() {
        while let received = called.nextMessage() {
          guard received.kind == .methodCall else { continue }
          let call = PendingCall(received, on: called)
          members.append(call.member)
          call.succeed([.string(call.member)])
        }
      }
      called.flush()
      #expect(members == ["M", "Probe"])
      #expect(caller.takeLateReply(within: 10_000) == .success([.string("M")]))
      #expect(caller.takeLateReply(within: 1) == nil)
    }
  }
}
