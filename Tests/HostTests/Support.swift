import Foundation
import Host
import TemporaryFolders
import Testing

extension TemporaryFolder {
  /// Writes a file from another process and waits for that. A process that some other test
  /// starts at this moment would keep a file open that this process has open.
  func writeElsewhere(_ text: String, to name: String) throws {
    try runNow(shell(#"printf %s "$1" > "$2""#, text, self[name]))
  }

  func copyElsewhere(_ path: String, to name: String) throws {
    try runNow(shell(#"cp "$1" "$2""#, path, self[name]))
  }
}

/// Events that a test waits for, in their order.
@MainActor final class EventStream<Value: Sendable> {
  private let stream: AsyncStream<Value>
  private let continuation: AsyncStream<Value>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream(of: Value.self) }

  func add(_ value: Value) { continuation.yield(value) }

  func next() async throws -> Value {
    var iterator = stream.makeAsyncIterator()
    return try #require(await iterator.next())
  }
}

/// Lets the main queue go on with other things until some time has passed.
@MainActor func pass(_ time: Duration) async throws {
  let passed = EventStream<Void>()
  let deadline = Deadline(after: time) { passed.add(()) }
  try await passed.next()
  withExtendedLifetime(deadline) {}
}

/// The descriptors this process has open.
func openDescriptors() throws -> Set<String> {
  Set(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))
}

@MainActor func run(_ launch: Launch) async throws -> ProcessEnd {
  let ends = EventStream<ProcessEnd>()
  let child = try ChildProcess(launch) { ends.add($0) }
  defer { withExtendedLifetime(child) {} }
  return try await ends.next()
}

/// Holds everything else up until the process has ended well.
func runNow(_ launch: Launch) throws {
  var status: Int32 = 0
  let pid = try spawn(launch)
  try #require(unsafe waitpid(pid, &status, 0) == pid && status == 0)
}

func shell(_ script: String, _ arguments: String...) -> Launch {
  Launch(
    executable: "/bin/sh", arguments: ["-c", script, "sh"] + arguments,
    environment: ["PATH": "/usr/bin:/bin"])
}
