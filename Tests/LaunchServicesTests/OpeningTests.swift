import BusContract
import DBus
import FoundationEssentials
import LaunchRules
import Testing

@testable import LaunchServices

@MainActor @Suite struct `What an application asks` {
  @Test("R4.7 universalLinksOnly goes to the daemon") func universalLinksOnly() throws {
    #expect(try Application.openOptions([.universalLinksOnly: true]).universalLinksOnly)
    #expect(try Application.openOptions([:]) == OpenOptions())
  }

  @Test("an option of the wrong type is named") func wrongType() {
    #expect(
      throws: OpenError.invalidOption("option universalLinksOnly is a Bool, not String")
    ) {
      try Application.openOptions([.universalLinksOnly: "yes"])
    }
  }

  @Test("an option that does not exist is named") func unknownOption() {
    #expect(throws: OpenError.invalidOption("there is no option \"color\"")) {
      try Application.openOptions([.init(rawValue: "color"): true])
    }
  }
}

@Suite struct `The error of an open` {
  @Test("R3.15 keeps the daemon's reason and its number") func notFound() {
    let failure = OpenFailure.applicationNotFound("no application claims x")
    let error = OpenError(failure.busError)
    #expect(error.code == .applicationNotFound)
    #expect(error.message == "no application claims x")
    #expect(error.status == -10814)
    #expect("\(error)" == "no application claims x (OSStatus error -10814)")
  }

  @Test("anything else means that the service cannot be reached") func unreachable() {
    let error = OpenError(.disconnected("the connection to the bus is closed"))
    #expect(error.code == .serviceUnreachable)
    #expect(error.message == "Launch Services did not answer: the connection to the bus is closed")
    #expect(error.status == -10822)
  }
}

@Suite struct `The receipt of an open` {
  @Test("says what became of the URL") func receipt() {
    let receipt = OpenReceipt(
      Receipt(
        request: 7, handler: "com.example.iapp",
        outcome: OpenOutcome(.cold, .vetoed, handled: false), pid: 0,
        trail: [.init("accepted", at: 1500)]))
    #expect(receipt.request == 7)
    #expect(receipt.handler == "com.example.iapp")
    #expect(receipt.launch == .cold)
    #expect(receipt.delivery == .vetoed)
    #expect(!receipt.isHandled)
    #expect(receipt.processIdentifier == nil)
    #expect(receipt.trail == [.init(state: "accepted", time: .microseconds(1500))])
  }
}

@Suite struct `A handler that cannot start` {
  private static let causes: [(BusError, Int32)] = [
    (RegistrationFailure.alreadyRunning("x").busError, 75),
    (RegistrationFailure.notRegistered("x").busError, 77),
    (RegistrationFailure.notPermitted("x").busError, 77),
    (BusError.disconnected("x"), 69),
  ]

  @Test("ends with a status for each reason", arguments: causes)
  func statuses(_ error: BusError, _ status: Int32) {
    #expect(StartFailure(error).status == status)
    #expect(StartFailure(error).sentence.hasSuffix(": x"))
  }
}

@Suite struct `An annotation` {
  @Test("R5.24 arrives as a property list") func values() throws {
    let value = Value.options([
      "text": .string("a"), "flag": .boolean(true), "number": .int16(-3),
      "list": .array(of: "v", [.variant(.double(0.5))]), "path": .objectPath("/a"),
    ])
    let list = try #require(value.propertyListValue as? [String: Any])
    #expect(list.keys.sorted() == ["flag", "list", "number", "text"])
    #expect(list["text"] as? String == "a")
    #expect(list["flag"] as? Bool == true)
    #expect(list["number"] as? Int == -3)
    #expect(list["list"] as? [Double] == [0.5])
  }
}
