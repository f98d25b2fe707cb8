import BusContract
import DBus
import Testing

@Suite("The output of lsopen --stdio") struct RelayOutputTests {
  private static let greeting = Array((RelayContract.greeting + "\n").utf8)

  private static func reply(_ values: [Value]) -> [UInt8] {
    call.reply(values).marshalled(serial: 7)
  }

  private static var call: Message {
    // Only a message that was sent has a number that a reply can carry.
    let bytes = Contract.openURL("photos:1").marshalled(serial: 1)
    guard let message = Message(marshalled: bytes) else { preconditionFailure() }
    return message
  }

  @Test("What login scripts print is skipped, and each reply is read, whatever its pieces")
  func pieces() {
    let noise = Array("Welcome to build\nno newline at first".utf8)
    let failure = BusError("org.launchservices.Error.Cancelled", "too late")
    let all =
      noise + Array("\n".utf8) + Self.greeting + Self.reply([.string("one")])
      + Self.call.reply(failure).marshalled(serial: 8)
    let expected: [RelayOutput.Event] = [
      .ready, .reply(.success([.string("one")])), .reply(.failure(failure)),
    ]
    var whole = RelayOutput()
    #expect(whole.add(all) == expected)
    var bytewise = RelayOutput()
    #expect(all.flatMap { bytewise.add([$0]) } == expected)
  }

  @Test("A refusal is told with its reason") func refusal() {
    var output = RelayOutput()
    #expect(
      output.add(Array("hello\n\(RelayContract.refusal)no daemon\n".utf8))
        == [.refused("no daemon")])
  }

  @Test("Endless noise, and bytes that are no message, are unusable") func unusable() {
    var noisy = RelayOutput()
    var events: [RelayOutput.Event] = []
    for _ in 0..<70 where events.isEmpty {
      events = noisy.add([UInt8](repeating: UInt8(ascii: "x"), count: 1000))
    }
    let tooMuch = RelayOutput.Event.unusable(
      "wrote more than 64 KiB or 1024 lines that are no answer of lsopen")
    #expect(events == [tooMuch])
    var lines = RelayOutput()
    #expect(lines.add([UInt8](repeating: UInt8(ascii: "\n"), count: 1025)) == [tooMuch])
    var fewLines = RelayOutput()
    #expect(
      fewLines.add([UInt8](repeating: UInt8(ascii: "\n"), count: 1000) + Self.greeting) == [.ready])
    let noAnswer = RelayOutput.Event.unusable(
      "wrote something that is no answer of lsopen, or more than 256 KiB")
    var broken = RelayOutput()
    #expect(
      broken.add(Self.greeting + Array("this is no message at all".utf8)) == [.ready, noAnswer])
    // A reply that would never end.
    var large = RelayOutput()
    let reply = Self.reply([.string(String(repeating: "x", count: 300_000))])
    #expect(large.add(Self.greeting + Array(reply.prefix(1000))) == [.ready, noAnswer])
  }

  @Test("Only opens of URLs and questions for their fate are relayed") func methods() {
    func isRelayed(_ message: consuming Message) -> Bool { RelayContract.mayRelay(message) }
    let answers = [
      isRelayed(Contract.openURL("photos:1")),
      isRelayed(Contract.openApplication("com.example.photos")),
      isRelayed(Contract.canOpenURL("photos:1")), isRelayed(Contract.ping()),
      isRelayed(Self.call.reply()),
    ]
    #expect(answers == [true, false, false, false, false])
  }
}
