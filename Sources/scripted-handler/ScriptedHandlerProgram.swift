internal import BusContract
internal import Events
internal import Glibc
internal import LaunchServicesTesting

/// The program of test applications: does what its script says and tells what it sees.
@main
enum ScriptedHandlerProgram {
  private static var performer: Performer?

  static func main() {
    // First of all, before anything here opens a descriptor.
    let facts = StartFacts.ofThisProcess()
    if facts.arguments.count == 2, facts.arguments[0] == Child.option {
      Child.ask(facts.arguments[1])
    } else if facts.arguments.count == 2, facts.arguments[0] == Child.orphanOption {
      Child.leaveOrphan(facts.arguments[1])
    } else {
      perform(facts)
    }
    MainLoop.run()
  }

  private static func perform(_ facts: StartFacts) {
    guard let identifier = facts.environment[Contract.identifierVariable] else {
      end("the variable \(Contract.identifierVariable) is missing")
    }
    do {
      let performer = try Performer(identifier, facts)
      Self.performer = performer
      Task {
        do { try await performer.launch() } catch { end("\(error)") }
      }
    } catch {
      end("\(error)")
    }
  }

  static func end(_ reason: String) -> Never {
    let line = Array("scripted-handler: \(reason)\n".utf8)
    _ = unsafe line.withUnsafeBytes { unsafe write(2, $0.baseAddress, $0.count) }
    exit(70)
  }
}
