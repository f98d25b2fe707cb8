import BusContract
import DBus
import LaunchRules
import Testing

@Suite("Errors of the contract") struct ErrorTests {
  static let failures: [OpenFailure] = [
    .invalidURL("a"), .applicationNotFound("b"), .ambiguousHandler("c"), .noExecutable("d"),
    .launchFailed("e"), .launchTimedOut("f"), .handlerExited("g"), .handlerRefused("h"),
    .handlerTimedOut("i"), .notPermitted("j"), .confirmationDeclined("k"),
    .confirmationUnavailable("l"), .cancelled("m"), .limitExceeded("n"), .shuttingDown("o"),
    .deliveryUnknown("p"), .noSuchFile("q"), .documentUnreachable("r"), .deviceUnavailable("s"),
  ]

  @Test("cross the bus and come back", arguments: failures)
  func roundTrip(_ failure: OpenFailure) { #expect(OpenFailure(failure.busError) == failure) }

  @Test("have a name each") func distinct() {
    #expect(Set(Self.failures.map(\.busError.name)).count == Self.failures.count)
  }

  @Test("carry their OSStatus number") func number() {
    let error = OpenFailure.applicationNotFound("no application").busError
    #expect(error.text == "no application (OSStatus error -10814)")
    #expect(error.name == "org.launchservices.Error.ApplicationNotFound")
  }

  @Test("are not mistaken for those of others") func foreign() {
    #expect(OpenFailure(BusError("org.freedesktop.DBus.Error.Failed", "x")) == nil)
    #expect(OpenFailure(BusError("org.launchservices.Error.Unheard", "x")) == nil)
  }
}

@Suite("A receipt") struct ReceiptTests {
  static let receipt = Receipt(
    request: 7, handler: "com.example.a", outcome: OpenOutcome(.cold, .vetoed, handled: false),
    pid: 42, trail: [.init("resolved", at: 1), .init("vetoed", at: 2)])

  @Test("crosses the bus and comes back") func roundTrip() {
    #expect(Receipt(Self.receipt.dictionary) == Self.receipt)
  }

  @Test("tells a remote of the trail only that the port of a login is not forwarded")
  func callback() {
    #expect(Self.receipt.dictionary(.outcome)["trail"] == nil)
    var receipt = Self.receipt
    for problem in CallbackProblem.allCases {
      let step = RequestStep(problem.step, at: 1)
      receipt.trail = [step] + Self.receipt.trail
      #expect(CallbackProblem(step: problem.step) == problem)
      #expect(receipt.dictionary(.outcome)["trail"]?.asTrail == [step])
      #expect(receipt.dictionary(.delivery)["trail"] == nil)
    }
  }

  @Test(
    "is not made from something else",
    arguments: ["request", "handler", "launch", "delivery", "handled"])
  func garbage(_ key: String) {
    var dictionary = Self.receipt.dictionary
    dictionary[key] = .string("nonsense")
    #expect((Receipt(dictionary) == nil) == (key != "handler"))
    dictionary[key] = nil
    #expect(Receipt(dictionary) == nil)
  }
}

@Suite("The tree of objects") struct ObjectTreeTests {
  @Test(
    "leads from the root to the object",
    arguments: [
      ("/", "org"), ("/org", "launchservices"), ("/org/launchservices", "LaunchServices1"),
    ])
  func leads(_ path: String, _ child: String) throws {
    #expect(try ObjectTree.introspection(of: path).contains("<node name=\"\(child)\"/>"))
  }

  @Test("shows every method of every interface") func complete() throws {
    let xml = try ObjectTree.introspection(of: Contract.objectPath.text)
    for interface in Contract.interfaces {
      #expect(xml.contains("<interface name=\"\(interface.name)\">"))
      for method in interface.methods { #expect(xml.contains("<method name=\"\(method.name)\">")) }
    }
  }

  @Test(
    "has nothing beside the way",
    arguments: ["/or", "/org/x", "/org/launchservices/LaunchServices1/x"])
  func nothing(_ path: String) {
    #expect(throws: BusError.self) { try ObjectTree.interfaces(at: path) }
  }
}
