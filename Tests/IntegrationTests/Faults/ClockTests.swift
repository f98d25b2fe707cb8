import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

/// The clock of the daemon is set while it works.
@MainActor @Suite("The clock", .timeLimit(.minutes(30)))
struct ClockTests {
  nonisolated private static let library =
    "/usr/lib/\(machine)-linux-gnu/faketime/libfaketimeMT.so.1"

  @Test(
    "jumps forward by more than RecordAge and back: a request is not delivered twice",
    .enabled(if: FileManager.default.fileExists(atPath: library), "needs the package libfaketime"))
  func jumpsPastRecordAge() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let clock = URL(filePath: world.environment["HOME"] ?? "/").appending(path: "clock")
      try Data("+0d".utf8).write(to: clock)
      try await world.startDaemon(environment: Self.environment(clock))
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      _ = try await world.client.open("photos:1", requestID: "1")
      try Data("+8d".utf8).write(to: clock)
      // More than are kept however old they are.
      for _ in 1...4 {
        for opening in (1...300).map({ world.client.opening("photos:other\($0)") }) {
          _ = try await opening.receipt()
        }
      }
      try Data("+0d".utf8).write(to: clock)
      #expect(try await world.client.open("photos:1", requestID: "1").isRepeated)
      #expect(photos.heard().filter { $0 == .opened("photos:1") }.count == 1)
    }
  }

  nonisolated private static func environment(_ clock: URL) -> [String: String] {
    [
      "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": clock.path, "FAKETIME_NO_CACHE": "1",
      "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    ]
  }

  @Test(
    "jumps: nothing is delivered twice, lost or cut short",
    .enabled(if: FileManager.default.fileExists(atPath: library), "needs the package libfaketime"))
  func jumps() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let clock = URL(filePath: world.environment["HOME"] ?? "/").appending(path: "clock")
      func set(_ offset: String) throws { try Data(offset.utf8).write(to: clock) }
      try set("+0d")
      try await world.startDaemon(environment: Self.environment(clock))
      let photos = try await world.install(
        "com.example.photos", schemes: ["photos"],
        .delegate(deliveries: [.wait, .answer(true)], [.answer(true)]))

      // While one is launched and delivered the clock goes forward by six days, then years back.
      var options = OpenOptions()
      options.requestID = "1"
      let first = world.client.opening("photos:1", options)
      try await photos.isWaiting()
      try set("+6d")
      try await photos.go()
      #expect(try await first.receipt().outcome == .deliveredCold)
      #expect(try await world.client.open("photos:2", requestID: "2").outcome == .deliveredWarm)
      try set("-4000d")
      #expect(try await world.client.open("photos:3", requestID: "3").outcome == .deliveredWarm)
      for number in 1...3 {
        let again = try await world.client.open("photos:\(number)", requestID: "\(number)")
        #expect(again.isRepeated)
      }

      let opened = photos.heard().filter { if case .opened = $0 { true } else { false } }
      #expect(opened == (1...3).map { .opened("photos:\($0)") })
      #expect(photos.pids.count == 1)
      let history = try await world.client.call(Contract.history(HistoryOptions())).first?
        .asOptionsList
      let years = history?.map { entry in
        (entry["time"]?.asUInt64).map {
          Calendar.current.component(.year, from: Date(timeIntervalSince1970: Double($0) / 1e6))
        }
      }
      let year = Calendar.current.component(.year, from: Date())
      #expect(years?.first.map { ($0 ?? year) < year - 9 } == true, "the clock did go back")
      #expect(history?.map { $0["url"]?.asString } == ["photos:3", "photos:2", "photos:1"])
    }
  }
}

#if arch(x86_64)
  private let machine = "x86_64"
#else
  private let machine = "aarch64"
#endif
