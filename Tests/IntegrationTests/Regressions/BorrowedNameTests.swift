import LaunchServicesTesting
import Testing

/// A process that the daemon started for one application took the bus name of another, checked in as
/// that one, and was given its URLs.
@Suite("Regression: the bus name of another application", .timeLimit(.minutes(30)))
struct BorrowedNameTests {
  @Test("is not enough for a process that was started as an application") func refused()
    async throws
  {
    try await Testbed.run { world in
      let bank = try await world.install("com.example.bank", schemes: ["bank"])
      let other = try await world.install(
        "com.example.other", schemes: ["other"],
        .launching(
          .own("com.example.bank"), .checkIn(.identifier("com.example.bank")), .checkIn(),
          .finishLaunching()))

      #expect(try await world.client.open("other:1").outcome == .deliveredCold)

      #expect(try await other.next() == .started)
      #expect(
        try await other.next()
          == .checkInRefused(
            Refusal(
              "NotPermitted",
              "the caller is com.example.other (it is, or descends from, a process the daemon started"
                + " for the application), so it cannot check in as com.example.bank")))
      #expect(try await world.client.open("bank:1").outcome == .deliveredCold)
      #expect(bank.pids.count == 1)
    }
  }
}
