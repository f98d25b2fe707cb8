import BusContract
import DBus
internal import DBusMainLoop
import LaunchServicesTesting
import Testing

/// Whatever a caller sends, it gets an answer that says what is wrong.
@Suite("Calls that are wrong", .timeLimit(.minutes(30)))
struct CallCheckTests {
  /// One call and the error it gets.
  struct Vector: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var path = Contract.objectPath
    var interface = Contract.workspace
    let member: MemberName
    var arguments: [Value] = []
    let error: String
    let text: String

    var refusal: Refusal { Refusal("org.freedesktop.DBus.Error." + error, text) }
  }

  static let vectors = [
    Vector(
      testDescription: "a number instead of the URL", member: "CanOpenURL",
      arguments: [.uint32(1), .options([:])], error: "InvalidArgs",
      text: "org.launchservices.Workspace1.CanOpenURL takes (sa{sv}), not (ua{sv})"),
    Vector(
      testDescription: "too few arguments", member: "OpenURL", arguments: [.string("x:")],
      error: "InvalidArgs", text: "org.launchservices.Workspace1.OpenURL takes (sa{sv}), not (s)"),
    Vector(
      testDescription: "too many arguments", interface: Contract.registry, member: "Reload",
      arguments: [.boolean(true)], error: "InvalidArgs",
      text: "org.launchservices.Registry1.Reload takes (), not (b)"),
    Vector(
      testDescription: "an option of the wrong type", member: "OpenURL",
      arguments: [.string("x:"), .options(["new-instance": .string("yes")])], error: "InvalidArgs",
      text: "option 'new-instance' must be of type b, not s"),
    Vector(
      testDescription: "an option with processes that are no numbers", member: "OpenURL",
      arguments: [.string("x:"), .options(["instances": .strings([])])], error: "InvalidArgs",
      text: "option 'instances' must be of type au, not as"),
    Vector(
      testDescription: "an option with arguments that are no strings", member: "OpenURL",
      arguments: [.string("x:"), .options(["arguments": .booleans([true])])], error: "InvalidArgs",
      text: "option 'arguments' must be of type as, not ab"),
    Vector(
      testDescription: "an application that is no bundle identifier", member: "CanOpenURL",
      arguments: [.string("x:"), .options(["as": .string("not an id")])], error: "InvalidArgs",
      text: "option 'as': not an id is not a bundle identifier"),
    Vector(
      testDescription: "an unknown method", member: "Frobnicate", error: "UnknownMethod",
      text: "org.launchservices.Workspace1 does not have Frobnicate"),
    Vector(
      testDescription: "an unknown interface", interface: "org.example.Nothing", member: "OpenURL",
      error: "UnknownInterface",
      text: "/org/launchservices/LaunchServices1 does not have org.example.Nothing"),
    Vector(
      testDescription: "an unknown object", path: "/org/example", member: "OpenURL",
      error: "UnknownObject",
      text: "there is no object /org/example; the service is at /org/launchservices/LaunchServices1"
    ),
    Vector(
      testDescription: "an unknown property", interface: "org.freedesktop.DBus.Properties",
      member: "Get", arguments: [.string("org.launchservices.Registry1"), .string("Nothing")],
      error: "UnknownProperty", text: "org.launchservices.Registry1 has no property Nothing"),
    Vector(
      testDescription: "setting a property", interface: "org.freedesktop.DBus.Properties",
      member: "Set",
      arguments: [
        .string("org.launchservices.Registry1"), .string("Generation"), .variant(.uint64(1)),
      ],
      error: "PropertyReadOnly",
      text: "org.launchservices.Registry1.Generation cannot be set"),
  ]

  @Test("The contract describes the error", arguments: vectors)
  func described(_ vector: Vector) {
    #expect(Contract.errors.contains { $0.name == "org.freedesktop.DBus.Error.\(vector.error)" })
  }

  @Test("The error says what is wrong", arguments: vectors)
  func refused(_ vector: Vector) async throws {
    try await Testbed.run { world in
      await #expect(throws: vector.refusal) {
        try await world.client.call(
          .call(
            to: Contract.busName, path: vector.path, interface: vector.interface,
            member: vector.member, vector.arguments))
      }
    }
  }

  @Test("Options that are unknown are ignored, whatever their type")
  func unknownOptions() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let strange: Options = [
        "from-the-future": .structure([.byte(1), .variant(.strings(["a"]))]), "": .double(0),
      ]
      let answer = try await world.client.call(
        .call(
          to: Contract.busName, path: Contract.objectPath, interface: Contract.workspace,
          member: "OpenURL", [.string("photos:1"), .options(strange)]))
      #expect(answer.first?.asOptions?["delivery"] == .string("delivered"))
      #expect(photos.heard().last == .opened("photos:1"))
    }
  }

  @Test("Calls of one client are answered in the order in which it made them")
  func order() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      let client = try await world.newClient()
      let calls = 300
      var answered: [Int] = []
      await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
        for number in 0..<calls {
          let message =
            switch number % 4 {
            case 0: Contract.canOpenURL("photos:")
            case 1: Contract.ping()
            case 2: Contract.handlers("photos")
            default: Contract.explain("not a url")
            }
          client.session.call(message, deadline: .seconds(20)) { _ in
            answered.append(number)
            if answered.count == calls { done.resume() }
          }
        }
      }
      #expect(answered == Array(0..<calls))
    }
  }

  @Test("A call that its receiver drops is answered")
  func dropped() async throws {
    try await Testbed.run { world in
      let receiver = try await world.newClient()
      receiver.session.onCall = { _ in }
      let name = try #require(receiver.session.connection.map(\.uniqueName).flatMap(BusName.init))
      await #expect(
        throws: Refusal(
          "org.freedesktop.DBus.Error.NoReply", "the service dropped the call without an answer")
      ) {
        try await world.client.call(
          .call(to: name, path: "/", interface: "org.example.Nothing", member: "Nothing"))
      }
    }
  }
}
