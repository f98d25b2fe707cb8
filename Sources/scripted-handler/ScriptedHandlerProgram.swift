internal import BusContract
internal import Events
internal import Glibc
internal import LaunchServicesTesting

/// The program of test applications: performs its script and reports events to the test.
@main
enum ScriptedHandlerProgram {
  private static var performer: Performer?

  static func main() {
    // Read before this process opens any descriptor.
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
      if facts.arguments.contains(where: ["-h", "--help"].contains) { printHelp() }
      end(
        "the variable \(Contract.identifierVariable) is missing: tests start this program; try"
          + " 'scripted-handler --help'")
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
    print("scripted-handler: \(reason)\n", to: 2)
    exit(70)
  }

  private static func printHelp() -> Never {
    print(
      """
      Usage: scripted-handler
      The program of the applications of LaunchServicesTesting: does what the script of its test says.
      The daemon of the test starts it; by hand it does nothing. It takes no options.

      """, to: 1)
    exit(0)
  }

  private static func print(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
  }
}
