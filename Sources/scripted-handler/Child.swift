internal import DBus
internal import DBusMainLoop
internal import FoundationEssentials
internal import Glibc
internal import Host
internal import LaunchServicesTesting

/// A process that the program starts to make one call.
enum Child {
  static let option = "--ask"
  static let orphanOption = "--ask-as-orphan"
  private static let left = "--left"

  /// Whether this process continues for the process that the daemon started, which has ended or is idle.
  static func isLeft(_ facts: StartFacts) -> Bool { facts.arguments.last == left }

  /// Starts this program again with the same arguments and environment.
  static func takeOver(_ facts: StartFacts, staysInSession: Bool = false) {
    do {
      var launch = try Launch(
        executable: executable, arguments: facts.arguments + [left],
        environment: facts.environment)
      launch.staysInSession = staysInSession
      _ = try spawn(launch)
    } catch {
      ScriptedHandlerProgram.end("\(error)")
    }
  }

  private static var executable: String {
    get throws { try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") }
  }

  /// Called in the program: starts the child.
  static func start(_ asking: String, environment: [String: String]) throws {
    _ = try ChildProcess(
      Launch(executable: executable, arguments: [option, asking], environment: environment)
    ) { _ in }
  }

  /// Called in the program: starts a child below 70 shells, each of which waits for the next.
  static func startNested(_ asking: String, environment: [String: String]) throws {
    let script =
      #"if [ "$1" -gt 0 ]; then sh -c "$NESTED" sh $(($1 - 1)) "$2" "$3"; else "$2" \#(option) "$3"; fi; :"#
    _ = try ChildProcess(
      Launch(
        executable: "/bin/sh", arguments: ["-c", script, "sh", "69", executable, asking],
        environment: environment.merging(["NESTED": script]) { $1 })
    ) { _ in }
  }

  /// Called in the program: starts a child that starts another child, which makes its call after the first
  /// child and, for some askers, this program have ended.
  static func startOrphan(
    _ asking: String, environment: [String: String], staysInSession: Bool = true
  ) throws {
    var launch = try Launch(
      executable: executable, arguments: [orphanOption, asking, String(getpid())],
      environment: environment)
    launch.staysInSession = staysInSession
    _ = try ChildProcess(launch) { _ in }
  }

  /// Called in the child: starts the process that makes the call, and ends.
  /// - Parameter program: process number of the program.
  static func leaveOrphan(_ asking: String, of program: String) {
    do {
      var launch = try Launch(
        executable: executable, arguments: [option, asking, String(getpid()), program],
        environment: StartFacts.ofThisProcess().environment)
      launch.staysInSession = true
      _ = try spawn(launch)
      exit(0)
    } catch {
      ScriptedHandlerProgram.end("\(error)")
    }
  }

  private static var awaited: [ExitWatch] = []

  /// Waits until a process has ended, also one that is ending: the kernel gives its children another parent before
  /// the end is reported.
  private static func waitForEnd(of pid: Int32) async {
    await withCheckedContinuation { continuation in
      if let watch = try? ExitWatch(pid: pid, onExit: { _ in continuation.resume() }) {
        awaited.append(watch)
      } else {
        continuation.resume()
      }
    }
  }

  /// Called in the child: makes the call, reports the answer and ends.
  /// - Parameter above: the process numbers of the child that ends first and of the program; empty for a child that
  ///   need not outlive them.
  static func ask(_ json: String, above: [String]) {
    guard let asking = DirectorContract.decode(Asking.self, json) else {
      ScriptedHandlerProgram.end("\(json) is no question")
    }
    let above = above.compactMap { Int32($0) }
    Task {
      for other in asking.asker == .survivor ? above : Array(above.prefix(1)) {
        await waitForEnd(of: other)
      }
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
