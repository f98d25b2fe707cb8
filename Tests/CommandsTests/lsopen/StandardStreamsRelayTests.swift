import BusContract
import Commands
import DBus
import Testing

@testable import lsopen

@Suite("lsopen --stdio") struct StandardStreamsRelayTests {
  /// Gives the relay these pieces of input, and returns what it answered.
  private func run(
    _ script: ScriptedService, hasRuntimeFolder: Bool = true, _ pieces: [UInt8]...
  ) -> (code: ExitCode, events: [RelayOutput.Event]) {
    var rest = pieces[...]
    var output = RelayOutput()
    var events: [RelayOutput.Event] = []
    let relay = StandardStreamsRelay(
      service: script.service, hasRuntimeFolder: hasRuntimeFolder, read: { rest.popFirst() ?? [] },
      write: { bytes in
        events += output.add(bytes)
        return true
      })
    return (relay.run(), events)
  }

  private func open(_ url: String, _ number: UInt32 = 1) -> [UInt8] {
    var options = OpenOptions()
    options.requestID = "one"
    return Contract.openURL(url, options).marshalled(serial: number)
  }

  @Test("Relays opens with their identifiers, and their receipts and errors") func opens() {
    let failure = BusError("org.launchservices.Error.ApplicationNotFound", "nobody")
    let script = ScriptedService(
      .success([]), .success([.string("receipt")]), .failure(.refused(failure)))
    let both = open("photos:1", 1) + open("nobody:1", 2)
    let (code, events) = run(script, Array(both.prefix(20)), Array(both.dropFirst(20)))
    #expect(code == .success)
    #expect(
      events == [
        .ready, .reply(.success([.string("receipt")])), .reply(.failure(failure)),
      ])
    #expect(script.calls.map(\.member) == ["Ping", "OpenURL", "OpenURL"])
    #expect(script.calls[1].arguments.first == .string("photos:1"))
    #expect(script.requestIDs == ["one", "one"])
  }

  @Test("Without a daemon nothing is read, and the reason is told") func noDaemon() {
    let (code, events) = run(ScriptedService(.failure(.notRunning("no name"))), open("photos:1"))
    #expect(code == .serviceUnreachable)
    #expect(events.count == 1)
    guard case .refused(let reason)? = events.first else {
      Issue.record("\(events)")
      return
    }
    #expect(reason.hasPrefix("launchservicesd does not run"))
    #expect(!reason.contains("XDG_RUNTIME_DIR"))
    let bare = run(
      ScriptedService(.failure(.noSessionBus("no address"))), hasRuntimeFolder: false)
    guard case .refused(let why)? = bare.events.first else {
      Issue.record("\(bare)")
      return
    }
    #expect(why.contains("XDG_RUNTIME_DIR is not set for commands of ssh there"))
  }

  @Test("Nothing is said of an open whose daemon ended") func endedDaemon() {
    let (code, events) = run(
      ScriptedService(.success([]), .failure(.ended)), open("photos:1") + open("photos:2", 2))
    #expect(code == .failed)
    #expect(events == [.ready])
  }

  @Test("Refuses other calls without asking the daemon") func otherCalls() {
    let script = ScriptedService(.success([]))
    let (code, events) = run(
      script, Contract.openApplication("com.example.photos").marshalled(serial: 1))
    #expect(code == .success)
    #expect(script.calls.map(\.member) == ["Ping"])
    #expect(events.count == 2)
    guard case .reply(.failure(let error))? = events.last else {
      Issue.record("\(events)")
      return
    }
    #expect(error.name == "org.freedesktop.DBus.Error.AccessDenied")
  }

  @Test("Ends at input that is no message") func nonsense() {
    let (code, events) = run(ScriptedService(.success([])), Array("GET / HTTP/1.1\r\n\r\n".utf8))
    #expect(code == .usage)
    #expect(events == [.ready])
  }
}
