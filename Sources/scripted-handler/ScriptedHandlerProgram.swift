internal import BusContract
internal import Commands
internal import Events
internal import Glibc
internal import LaunchServicesTesting

/// The program of test applications: performs its script and reports events to the test. With `--stub` it stands in for
/// the program of an application without a test.
@main
enum ScriptedHandlerProgram {
  private static var performer: Performer?

  static func main() {
    // Read before this process opens any descriptor.
    let facts = StartFacts.ofThisProcess()
    if facts.arguments.first == StubOption.stub.name {
      Stub.run(facts.arguments, identifier: facts.environment[Contract.identifierVariable])
    } else if facts.arguments.count >= 2, facts.arguments[0] == Child.option {
      Child.ask(facts.arguments[1], above: Array(facts.arguments.dropFirst(2)))
    } else if facts.arguments.count == 3, facts.arguments[0] == Child.orphanOption {
      Child.leaveOrphan(facts.arguments[1], of: facts.arguments[2])
    } else {
      perform(facts)
    }
    MainLoop.run()
  }

  private static func perform(_ facts: StartFacts) {
    guard let identifier = facts.environment[Contract.identifierVariable] else {
      if facts.arguments.contains(where: ["-h", "--help"].contains) {
        help.print(to: .ofProcess(command: "scripted-handler"))
        exit(0)
      }
      end(
        "the variable \(Contract.identifierVariable) is missing: a test or launchservicesd starts this program; try"
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

  static var help: HelpText {
    var help = HelpText(
      usage: ["scripted-handler --stub [OPTION]...", "scripted-handler"],
      purpose: [
        "Stands in for the program of an application.", "",
        "With --stub it takes URLs, universal links, documents and quick actions in the callbacks that the property"
          + " list of the application implies, and prints them. 'lsregister add --stub PLIST' registers a property"
          + " list with this program; the daemon then starts it.", "",
        "Without options it does what the script of a test says: see LaunchServicesTesting.",
      ])
    help.options(StubOption.allCases)
    return help
  }

  private static func print(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
  }
}
