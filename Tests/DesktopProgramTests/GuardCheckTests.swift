import Foundation
import Glibc
import Host
import LaunchRules
import TemporaryFolders
import Testing

@testable import launchservices_desktop

@Suite("The guard compares the lists with what it has seen") struct GuardCheckTests {
  private let world: GuardWorld

  init() throws { world = try GuardWorld() }

  // MARK: What is in the place of a list

  @Test("The list is put back five times a minute, also when the link there leads to an old folder")
  func oldTarget() throws {
    for _ in 1...5 {
      try world.replace { unsafe symlink("/usr", $0) }
      try world.check()
      #expect(world.contents == GuardWorld.before)
    }
    try world.replace { unsafe symlink("/usr", $0) }
    #expect(try world.check().retryAfter > 0)
    #expect(isSymbolicLink(world.list))
    let now = UInt64(clamping: Time.wallClockNanoseconds() / 1000)
    #expect(try world.records().allSatisfy { now - $0.time < 600_000_000 })
  }
}
