import Dispatch
import Foundation
import Synchronization
import TemporaryFolders
import Testing

@testable import Host

/// A file system that does not answer until it is told to.
private final class SilentFile: Sendable {
  /// In /proc, whose missing names the kernel does not remember: elsewhere a file that was missing once is known to be
  /// missing, and nothing is asked.
  let path = "/proc/silent-" + UUID().uuidString
  private let gate = DispatchSemaphore(value: 0)
  private let asked = Mutex(0)

  var timesAsked: Int { asked.withLock { $0 } }

  func ask() -> String {
    asked.withLock { $0 += 1 }
    gate.wait()
    return "answer"
  }

  func answer() { gate.signal() }
}

@MainActor @Suite("A file system that does not answer") struct PromptFileTests {
  @Test("is given up, is not asked again until it answers, and tells when it does")
  func silent() async throws {
    let silent = SilentFile()
    let ask = { @Sendable () throws(Errno) in silent.ask() }
    for _ in 0..<3 {
      #expect(throws: Errno.timedOut) { try PromptFile.call(about: silent.path, ask) }
      #expect(PromptFile.exists(silent.path + "/below"), "it counts as a file")
      #expect(PromptFile.identity(of: silent.path) == nil)
    }
    #expect(silent.timesAsked == 1)
    #expect(PromptFile.exists("/proc/self/stat"))
    #expect(!PromptFile.exists("/proc/self/none"))
    let answers = EventStream<Bool>()
    UnansweredCalls.onAnswer(about: silent.path) {
      Task { @MainActor in answers.add(true) }
    }
    silent.answer()
    #expect(try await answers.next())
    silent.answer()
    #expect(try PromptFile.call(about: silent.path, patience: .seconds(60), ask) == "answer")
  }

  @Test("is not one that is worked on, although the thread sleeps at times") func working() async {
    let work = { @Sendable (path: String) in
      for _ in 0..<200 { usleep(1000) }
      return path
    }
    let answers = await FileSequence.answers(
      about: ["/proc/worked-on"], patience: .milliseconds(40), path: { $0 }, work)
    #expect(answers == ["/proc/worked-on"])
  }

  @Test("delays none of the files after it") func sequence() async throws {
    let silent = SilentFile()
    let paths = ["/1", "/2", silent.path, "/4", silent.path + "/5", "/6"]
    let ask = { @Sendable (path: String) in path == silent.path ? silent.ask() : path }
    for _ in 0..<2 {
      let answers = await FileSequence.answers(
        about: paths[...], patience: .milliseconds(50), path: { $0 }, ask)
      #expect(answers == ["/1", "/2", nil, "/4", nil, "/6"])
    }
    #expect(silent.timesAsked == 1)
    let ends = EventStream<Bool>()
    UnansweredCalls.onAnswer(about: silent.path) {
      Task { @MainActor in ends.add(true) }
    }
    silent.answer()
    #expect(try await ends.next())
  }

  @Test("Slow answers shorten the time limit of the calls after them, until time has passed")
  func allowance() {
    var allowance = WaitingAllowance()
    #expect(allowance.rest(at: 1_000_000) == 400_000)
    allowance.spend(100_000, at: 1_100_000)
    #expect(allowance.rest(at: 1_100_000) == 300_000)
    allowance.spend(900_000, at: 1_100_000)
    #expect(allowance.rest(at: 1_100_000) == 10_000)
    #expect(allowance.rest(at: 2_100_000) == 100_000)
    #expect(allowance.rest(at: 9_100_000) == 400_000)
  }

  @Test("A local file is as it is for everybody else, also behind symbolic links") func local()
    throws
  {
    let folder = try TemporaryFolder()
    let program = try folder.write("#!/bin/sh\n", to: "program")
    try FileManager.default.createSymbolicLink(
      atPath: folder["link"], withDestinationPath: program)
    for path in [program, folder["link"]] {
      #expect(PromptFile.identity(of: path) == FileIdentity(path: program))
      #expect(PromptFile.realPath(path) == program)
      #expect(throws: SpawnError.cannotRun(executable: path, .accessDenied)) {
        try Launch(executable: path).checkExecutable()
      }
    }
    try #require(unsafe chmod(program, 0o700) == 0)
    try Launch(executable: folder["link"]).checkExecutable()
    #expect(throws: SpawnError.cannotRun(executable: folder["none"], .noSuchFile)) {
      try Launch(executable: folder["none"]).checkExecutable()
    }
    #expect(try FolderListing.prompt(of: folder.path).names.sorted() == ["link", "program"])
    #expect(throws: FileError(program, .cannot("list", .notAFolder))) {
      try FolderListing.prompt(of: program)
    }
  }
}
