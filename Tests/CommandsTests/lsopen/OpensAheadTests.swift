import BusContract
import Commands
import DBus
import LaunchRules
import Testing

@testable import lsopen

@Suite("URLs that are sent before the results of those before") struct OpensAheadTests {
  /// A daemon that writes down what it receives, and what the command asks it for.
  private final class Daemon {
    var events: [String] = []
    var options: [Options] = []
    /// The failure of calls that were begun; nil for a receipt.
    var failure: ServiceFailure?

    var service: Service {
      var service = Service { message, _ throws(ServiceFailure) in
        self.note("call", message)
        return [.options([:])]
      }
      service.begin = { message in
        let text = self.note("send", message)
        return Service.BegunCall { _ throws(ServiceFailure) in
          self.events.append("wait \(text)")
          if let failure = self.failure { throw failure }
          return [.options([:])]
        }
      }
      return service
    }

    @discardableResult private func note(_ what: String, _ message: borrowing Message) -> String {
      let arguments = message.arguments()
      let text = arguments.first?.asString?.prefix(12) ?? ""
      events.append("\(what) \(text)")
      options.append(arguments.last?.asOptions ?? [:])
      return String(text)
    }
  }

  /// Runs `lsopen` with requests that are called 1, 2 and so on.
  private func run(_ arguments: [String], _ daemon: Daemon, expecting code: ExitCode = .success) {
    let screen = Screen()
    var last = 0
    let command = OpenCommand(
      service: daemon.service, output: screen.output(of: "lsopen"), environment: { _ in nil },
      folder: "/usr",
      newRequestID: {
        last += 1
        return "\(last)"
      }, pause: { _ in })
    #expect(command.run(arguments) == code, "\(screen.standardError)")
  }

  @Test("16 are under way at the same time, and the results are read in order") func most() {
    let daemon = Daemon()
    let urls = (1...20).map { "x:\($0)" }
    run(urls, daemon)
    var expected = urls[..<16].map { "send \($0)" }
    for (index, url) in urls.enumerated() {
      expected.append("wait \(url)")
      if index + 16 < urls.count { expected.append("send \(urls[index + 16])") }
    }
    #expect(daemon.events == expected)
    #expect(
      daemon.options.map { $0[Key.requestID]?.asString } == (1...20).map { "\($0)" })
  }

  @Test("long ones wait, so that the daemon does not keep many of them") func long() {
    let daemon = Daemon()
    let urls = ["a", "b", "c"].map { "x:\($0)" + String(repeating: "-", count: 200_000) }
    run(urls, daemon)
    #expect(
      daemon.events.map { $0.prefix(8) } == [
        "send x:a", "wait x:a", "send x:b", "wait x:b", "send x:c", "wait x:c",
      ])
  }

  @Test(
    "an open whose result the next one needs is waited for, as are files and other machines",
    arguments: [
      ["--new", "x:1", "x:2"], ["--on", "far", "x:1", "x:2"], ["x:1", "/usr/bin"], ["x:1"],
      ["x:1", "file:///usr/bin"],
    ])
  func waits(_ arguments: [String]) {
    let daemon = Daemon()
    run(arguments, daemon)
    #expect(daemon.events.allSatisfy { $0.hasPrefix("call ") }, "\(daemon.events)")
  }

  @Test("without a daemon each is sent again, and after its end asked for by the same identifier")
  func lost() {
    let absent = Daemon()
    absent.failure = .notRunning("nobody")
    run(["x:1", "x:2"], absent)
    #expect(
      absent.events == [
        "send x:1", "send x:2", "wait x:1", "call x:1", "wait x:2", "call x:2",
      ])
    #expect(absent.options.allSatisfy { $0[Key.repeated] == nil })
    let ended = Daemon()
    ended.failure = .ended
    run(["x:1", "x:2"], ended)
    #expect(ended.events == absent.events)
    #expect(ended.options.map { $0[Key.requestID]?.asString } == ["1", "2", "1", "2"])
    #expect(ended.options.map { $0[Key.repeated]?.asBoolean } == [nil, nil, true, true])
  }

  @Test("each is cancelled by itself when the time is over") func timedOut() {
    let daemon = Daemon()
    daemon.failure = .timedOut
    run(["--timeout", "60", "x:1", "x:2"], daemon, expecting: .failed)
    #expect(
      daemon.events == ["send x:1", "send x:2", "wait x:1", "call 1", "wait x:2", "call 2"])
  }
}
