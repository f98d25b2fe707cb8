import BusContract
import DBus
import LaunchServicesTesting
import Testing

/// An annotation nested as deeply as D-Bus allows was wrapped once more to be handed over. The bus
/// threw the daemon out for that message. One that was as long as an array may be ended it.
@Suite("Regression: options that cannot be handed on", .timeLimit(.minutes(30)))
struct OptionBoundsTests {
  static func nested(_ depth: Int) -> Value {
    (0..<depth).reduce(.string("x")) { value, _ in .variant(value) }
  }

  static let vectors: [(String, Options, Refusal)] = [
    (
      "an annotation that is too deep", ["annotation": nested(17)],
      Refusal(
        "org.freedesktop.DBus.Error.InvalidArgs",
        "option 'annotation' is nested 17 deep; at most 16 containers are delivered")
    ),
    (
      "an annotation nested as deeply as D-Bus allows", ["annotation": nested(60)],
      Refusal(
        "org.freedesktop.DBus.Error.InvalidArgs",
        "option 'annotation' is nested 60 deep; at most 16 containers are delivered")
    ),
    (
      "an annotation that is too long",
      ["annotation": .string(String(repeating: "a", count: 300_000))],
      Refusal(
        "LimitExceeded",
        "the options take 300005 bytes; at most 262144 are accepted (OSStatus error -10810)")
    ),
    (
      "too many arguments",
      ["arguments": .strings([String](repeating: "argument", count: 30_000))],
      Refusal(
        "LimitExceeded",
        "the options take 390004 bytes; at most 262144 are accepted (OSStatus error -10810)")
    ),
  ]

  @Test("is refused, and everybody else is served", arguments: vectors.indices)
  func refused(_ index: Int) async throws {
    let (_, options, refusal) = Self.vectors[index]
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      await #expect(throws: refusal) {
        try await world.client.call(
          .call(
            to: Contract.busName, path: Contract.objectPath, interface: Contract.workspace,
            member: "OpenURL", [.string("photos:1"), .options(options)]))
      }
      #expect(try await world.client.open("photos:2").outcome == .deliveredCold)
    }
  }

  @Test("16 containers reach the handler, cold and warm") func deepest() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      for url in ["photos:1", "photos:2"] {
        _ = try await world.client.call(
          .call(
            to: Contract.busName, path: Contract.objectPath, interface: Contract.workspace,
            member: "OpenURL",
            [.string(url), .options(["annotation": Self.nested(16)])]))
        try await photos.next(.opened(url))
      }
    }
  }
}
