import DBus
import LaunchRules
import Testing

@testable import LaunchServicesDaemon

@Suite("What a handler answers a delivery with") @MainActor struct DeliveryAnswerTests {
  private func answer(
    _ answer: Result<[Value], BusError>, to kind: OpenRequest.Kind = .url, count: Int = 1
  ) -> HandlerLifecycle.Answer {
    Delivery.answer(answer, to: kind, count: count, seconds: 20)
  }

  @Test("handled is what every boolean says") func handled() {
    #expect(answer(.success([.array(of: "b", [.boolean(true)])])) == .handled(true))
    #expect(
      answer(.success([.array(of: "b", [.boolean(true), .boolean(false)])]), count: 2)
        == .handled(false))
  }

  @Test("H2 another type is named, beside the one that is expected") func wrongType() {
    #expect(
      answer(.success([.string("yes")]))
        == .refused(
          "its program answered OpenURLs with type s, not with ab, one boolean for each URL: whether it"
            + " was handled"))
    #expect(
      answer(.success([]), to: .userActivity)
        == .refused(
          "its program answered ContinueUserActivity with nothing, not with b: whether it was handled"
        ))
    #expect(
      answer(.success([.array(of: "b", [])]))
        == .refused(
          "its program answered OpenURLs with 0 booleans for 1 URL, not with ab, one boolean for each URL:"
            + " whether it was handled"))
  }

  @Test(
    "H2 a boolean in place of the list, and more values than asked for, are told",
    arguments: [
      ([.boolean(true)], "type b"), ([.boolean(true), .boolean(true)], "type bb"),
      ([.booleans([true]), .string("x")], "type abs"),
    ] as [([Value], String)])
  func otherTypes(_ values: [Value], _ named: String) {
    #expect(
      answer(.success(values))
        == .refused(
          "its program answered OpenURLs with \(named), not with ab, one boolean for each URL: whether it"
            + " was handled"))
    #expect(answer(.success([.boolean(true), .string("x")]), to: .userActivity) != .handled(true))
    #expect(answer(.success([.boolean(true)]), to: .userActivity) == .handled(true))
  }

  @Test("H2 more or fewer booleans than URLs are no answer") func wrongCount() {
    #expect(
      answer(.success([.array(of: "b", [.boolean(true), .boolean(true)])]))
        == .refused(
          "its program answered OpenURLs with 2 booleans for 1 URL, not with ab, one boolean for each URL:"
            + " whether it was handled"))
    #expect(
      answer(.success([.array(of: "b", [.boolean(true)])]), count: 2)
        == .refused(
          "its program answered OpenURLs with 1 boolean for 2 URLs, not with ab, one boolean for each URL:"
            + " whether it was handled"))
  }

  @Test("H2 a method that is missing is named") func missing() {
    let error = BusError(.unknownMethod, "no such method")
    #expect(
      answer(.failure(error), to: .userActivity)
        == .refused(
          "its program has no method ContinueUserActivity of org.launchservices.Application1 at the object"
            + " path of its check-in (no such method)"))
  }

  @Test("H2 an error that ends with a line break, as that of GDBus, is told without it")
  func lineBreak() {
    #expect(
      answer(.failure(BusError(.unknownMethod, "Method \"OpenURLs\" doesn't exist\n")))
        == .refused(
          "its program has no method OpenURLs of org.launchservices.Application1 at the object path of its"
            + " check-in (Method \"OpenURLs\" doesn't exist)"))
  }

  @Test("H2 of a Python traceback the exception is told") func traceback() {
    let error = BusError(
      "org.freedesktop.DBus.Python.KeyError",
      "Traceback (most recent call last):\n  File \"x.py\", line 3\nKeyError: 'url'\n")
    #expect(
      answer(.failure(error)) == .failed("org.freedesktop.DBus.Python.KeyError: KeyError: 'url'"))
  }

  @Test(
    "H2 names of exceptions are cut before the text",
    arguments: [
      ("dbus.exceptions.UnknownMethodException: ", "x is not a method"),
      (
        "Traceback (most recent call last):\n  File \"x.py\"\ndbus.exceptions.UnknownMethodException:"
          + " org.freedesktop.DBus.Error.UnknownMethod: ", "Unknown method: x"
      ),
      ("", "www.example.com: no Error: x"),
    ])
  func exceptionName(_ name: String, _ text: String) {
    #expect(
      answer(.failure(BusError(.unknownMethod, name + text)))
        == .refused(
          "its program has no method OpenURLs of org.launchservices.Application1 at the object path of its"
            + " check-in (\(text))"))
  }

  @Test("a handler that only passes URLs on says what is known, and by which way")
  func passedOn() {
    func passedOn(_ more: Options, handled: Bool = true) -> HandlerLifecycle.Answer {
      answer(.success([.booleans([handled]), .options(more)]))
    }
    let arguments: Options = ["delivery": .string("handed-over"), "way": .string("arguments")]
    #expect(passedOn(arguments) == .passedOn(HandOver(.handedOver, by: .arguments)))
    #expect(
      passedOn(arguments.merging(["launch": .string("warm")]) { $1 })
        == .passedOn(HandOver(.handedOver, by: .arguments, launch: .warm)))
    #expect(
      passedOn(arguments.merging(["pid": .uint32(0)]) { $1 })
        == .passedOn(HandOver(.handedOver, by: .arguments, process: 0)))
    #expect(passedOn(arguments, handled: false) == .handled(false))
    // What is not understood is left out.
    for (key, value) in [
      ("delivery", "vetoed"), ("delivery", "lost"), ("way", ""), ("way", "two words"),
      ("way", String(repeating: "x", count: 41)),
    ] {
      #expect(passedOn(arguments.merging([key: .string(value)]) { $1 }) == .handled(true))
    }
    #expect(passedOn([:]) == .handled(true))
  }
}
