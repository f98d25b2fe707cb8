import BusContract
import DBus
internal import DBusMainLoop
import Foundation
import LaunchServicesTesting
import Testing

/// Property lists that callers named were read on the main thread: a large one kept everybody waiting.
@MainActor @Suite("Regression: a large property list", .timeLimit(.minutes(30)))
struct LargePropertyListTests {
  private static let callers = 12

  /// 35,000 schemes, in 2 MB.
  private func propertyList(_ identifier: String, in world: Testbed) throws -> String {
    let schemes: [PropertyListValue] = (0..<35_000).map { .string("s\($0)") }
    let keys: [String: PropertyListValue] = [
      "CFBundleIdentifier": .string(identifier), "ProgramArguments": ["/bin/true"],
      "CFBundleURLTypes": [["CFBundleURLSchemes": .array(schemes)]],
    ]
    let path = world.folder + "/\(identifier).plist"
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    try encoder.encode(keys).write(to: URL(filePath: path))
    return path
  }

  private func call(_ member: MemberName, _ arguments: [Value]) -> Message {
    .call(
      to: Contract.busName, path: Contract.objectPath, interface: Contract.registry,
      member: member, arguments)
  }

  @Test(
    "that is checked or registered keeps nobody else waiting",
    arguments: [false, true])
  func others(registers: Bool) async throws {
    try await Testbed.run { world in
      let path = try propertyList("com.example.large", in: world)
      let busy = try await world.newClient().session
      var answered: [String] = []
      let large =
        registers
        ? call("RegisterApplication", [.string(path), .options([:])])
        : call("Lint", [.string(path)])
      busy.call(large, deadline: nil) { _ in answered.append("large") }
      // When the bus has answered, it has passed on what came before.
      _ = try await busy.call(
        .call(
          to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
          interface: "org.freedesktop.DBus", member: "GetId"))
      for _ in 0..<3 { _ = try await world.client.canOpen("none:") }
      answered.append("others")
      try await waitUntil("both answers") { answered.count == 2 }
      #expect(answered == ["others", "large"])
    }
  }

  @Test("is registered before what its caller asks next, and is unregistered after it") func order()
    async throws
  {
    try await Testbed.run { world in
      let path = try propertyList("com.example.large", in: world)
      let client = try await world.newClient().session
      var answers: [String] = []
      @MainActor func send(_ message: borrowing Message) {
        let member = message.member ?? ""
        client.call(message, deadline: nil) { result in
          switch result {
          case .success(let values):
            answers.append("\(member) \(values.first?.asString ?? "")")
          case .failure(let error): answers.append("\(member) \(error.text)")
          }
        }
      }
      send(call("RegisterApplication", [.string(path), .options([:])]))
      send(call("DefaultHandler", [.string("s7")]))
      send(call("Lint", [.string(path)]))
      send(call("UnregisterApplication", [.string("com.example.large")]))
      send(call("DefaultHandler", [.string("s7")]))
      try await waitUntil("all answers") { answers.count == 5 }
      #expect(
        answers == [
          "RegisterApplication com.example.large", "DefaultHandler com.example.large", "Lint ",
          "UnregisterApplication ",
          "DefaultHandler no application is registered for the scheme s7 (OSStatus error -10814)",
        ])
    }
  }

  @Test("that is being read when the daemon ends: its caller is told") func stopping() async throws
  {
    try await Testbed.run { world in
      let path = try propertyList("com.example.large", in: world)
      // It is read for one after the other, so that it is being read when the first is answered.
      var answers: [Result<[Value], BusError>] = []
      let (stream, answered) = AsyncStream.makeStream(of: Void.self)
      for _ in 0..<Self.callers {
        let session = try await world.newClient().session
        session.call(call("Lint", [.string(path)]), deadline: nil) {
          answers.append($0)
          answered.yield()
        }
        // When the bus has answered, it has passed on what came before.
        _ = try await session.call(
          .call(
            to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus", member: "GetId"))
      }
      var arrivals = stream.makeAsyncIterator()
      _ = await arrivals.next()
      #expect(try await world.stopDaemon() == "exited with code 0")
      try await waitUntil("all answers") { answers.count == Self.callers }
      let refusals = answers.compactMap { result -> String? in
        if case .failure(let error) = result { error.text } else { nil }
      }
      #expect(!refusals.isEmpty && refusals.count < Self.callers)
      let told = "the launch services daemon is shutting down"
      #expect(refusals.allSatisfy { $0.hasPrefix(told) }, "\(refusals)")
    }
  }
}
