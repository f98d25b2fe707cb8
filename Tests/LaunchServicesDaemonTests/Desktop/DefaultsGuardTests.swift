import Foundation
import Host
import LaunchRules
import ProcessSupervision
import Testing

@testable import LaunchServicesDaemon

@MainActor @Suite("The process that guards the default applications", .timeLimit(.minutes(30)))
struct DefaultsGuardProcessTests {
  @Test("One process runs, with the policy; one that is replaced is not missed, one that dies is")
  func process() async throws {
    let world = try GuardWorld()
    let defaultsGuard = world.defaultsGuard()
    try defaultsGuard.turn(.notice)
    defaultsGuard.start()
    let first = try await world.process(with: .notice)
    try defaultsGuard.turn(.restore)
    let second = try await world.process(with: .restore)
    #expect(first != second)
    #expect(kill(second, SIGKILL) == 0)
    // The first message is about the process that was killed, not about the one that was replaced.
    let line = try await world.log.lines.next()
    #expect(line.contains("has ended, and is started again") && line.contains("SIGKILL"), "\(line)")
    let third = try await world.process(with: .restore, besides: second)
    defaultsGuard.stop()
    #expect(world.defaultsGuard().policy == .restore)
    #expect(third != second)
  }
}

/// A folder for the state, and a program that writes its number into a file named like the policy.
@MainActor private final class GuardWorld {
  let folder = StateFolder.root + "/guard-" + UUID().uuidString
  let log = CapturedLog("guard-tests")
  private var program: String { folder + "/program" }

  init() throws {
    try FileManager.default.createDirectory(
      atPath: folder + "/numbers", withIntermediateDirectories: true)
    try """
    #!/bin/sh
    echo $$ > "\(folder)/numbers/new"
    mv "\(folder)/numbers/new" "\(folder)/numbers/$3.plist"
    exec sleep 600
    """.write(toFile: program, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
  }

  isolated deinit { try? FileManager.default.removeItem(atPath: folder) }

  func defaultsGuard() -> DefaultsGuard {
    let environment = HandlerEnvironment(inheriting: ["PATH": "/usr/bin:/bin", "HOME": folder])
    return DefaultsGuard(
      StateFile(path: folder + "/guard.plist"), DesktopProgram(environment, at: program),
      log.journal)
  }

  /// Waits for the number of the process with this policy.
  func process(with policy: DefaultsGuardPolicy, besides other: Int32? = nil) async throws -> Int32
  {
    let file = "\(folder)/numbers/\(policy.rawValue).plist"
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
    let watch = try DirectoryWatch(folders: [folder + "/numbers"]) { _ in continuation.yield() }
    continuation.yield()
    for await _ in changes {
      let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
      if let number = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)), number != other {
        withExtendedLifetime(watch) {}
        return number
      }
    }
    throw CancellationError()
  }
}
