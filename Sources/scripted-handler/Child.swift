internal import DBus
internal import FoundationEssentials
internal import Glibc
internal import Host
internal import LaunchServicesTesting

/// A process that the program starts to ask one question.
enum Child {
  static let option = "--ask"
  private static let left = "--left"

  /// Whether the process that the daemon started has left this one behind.
  static func isLeft(_ facts: StartFacts) -> Bool { facts.arguments.last == left }

  /// Starts this program again with what it was started with, and ends.
  static func takeOver(_ facts: StartFacts) -> Never {
    do {
      _ = try spawn(
        Launch(
          executable: FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
          arguments: facts.arguments + [left], environment: facts.environment))
    } catch {
      ScriptedHandlerProgram.end("\(error)")
    }
    exit(0)
  }

  /// In the program: starts the child.
  static func start(_ asking: String, environment: [String: String]) throws {
    let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    _ = try ChildProcess(
      Launch(executable: executable, arguments: [option, asking], environment: environment)
    ) { _ in }
  }

  /// In the child: asks, tells the answer and ends.
  static func ask(_ json: String) {
    guard let asking = DirectorContract.decode(Asking.self, json) else {
      ScriptedHandlerProgram.end("\(json) is no question")
    }
    Task {
      do {
        let client = try TestClient(address: nil)
        let answer = await asking.question.answer(from: client)
        _ = try await client.session.call(DirectorContract.answer(asking, answer))
        exit(0)
      } catch {
        ScriptedHandlerProgram.end("\(error)")
      }
    }
  }
}
