import Foundation
import Synchronization
import Testing

@testable import Host

@MainActor @Suite struct FileProbeTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  private func path(_ name: String) -> [UInt8] { Array("\(folder.path)/\(name)".utf8) }

  @Test("sees files, folders, FIFOs and what is missing, and opens no FIFO") func kinds()
    async throws
  {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("text".utf8).write(to: folder.appending(path: "file"))
    #expect(unsafe mkfifo(folder.path + "/pipe", 0o600) == 0)
    let paths = ["file", "", "pipe", "missing", "file/x"].map(path)
    let probe = FileProbe()
    #expect(
      await probe.kinds(at: paths, for: "a") == [
        .file(isExecutable: false), .folder, .special, .unreachable(.errno(.noSuchFile)),
        .unreachable(.errno(.notAFolder)),
      ])
    let opened = await probe.open(paths, for: "a")
    let numbers = opened.map { try? $0.get().number }
    #expect(numbers.map { $0 != nil } == [true, true, false, false, false])
    withExtendedLifetime(opened) {}
  }

  @Test("what is a part of the kernel, or a link of it to what somebody has open, is no document")
  func kernel() async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let spy = folder.appending(path: "m.txt").path
    try FileManager.default.createSymbolicLink(
      atPath: spy, withDestinationPath: "/proc/self/mem")
    let paths = [spy, "/proc/version", "/proc/self/fd/0", "/proc", "/sys/kernel"].map {
      Array($0.utf8)
    }
    let probe = FileProbe()
    for kind in await probe.kinds(at: paths, for: "a") {
      #expect(kind == .unreachable(.partOfTheKernel))
    }
    for file in await probe.open(paths, for: "a") {
      #expect(throws: Unopened.partOfTheKernel) { try file.get() }
    }
  }

  @Test("that no thread can be started is the reason, and not the file") func noThread() async {
    let probe = FileProbe(patience: .seconds(2)) { _ in .noMoreTasks }
    let paths = ["/", "/missing"].map { Array($0.utf8) }
    for kind in await probe.kinds(at: paths, for: "a") {
      #expect(kind == .unreachable(.noThread(.noMoreTasks)))
    }
    for file in await probe.open(paths, for: "a") {
      #expect(throws: Unopened.noThread(.noMoreTasks)) { try file.get() }
    }
    #expect(
      Unopened.noThread(.noMoreTasks).description
        == "the daemon could not start a thread to look at it: Resource temporarily unavailable (error 11): this"
        + " user has as many processes and threads as allowed (RLIMIT_NPROC, or TasksMax of a unit); end some, or"
        + " raise the limit")
  }

  @Test("a file system that does not answer delays the others by its time, and nothing more")
  func hanging() async {
    let hung = DispatchSemaphore(value: 0)
    let probe = FileProbe(patience: .milliseconds(50))
    let paths = ["a", "hung", "b"].map { Array($0.utf8) }
    let answers = await probe.results(of: paths, for: "a", late: "late") { path in
      let name = String(decoding: path, as: UTF8.self)
      if name == "hung" { hung.wait() }
      return name
    }
    #expect(answers == ["a", "late", "b"])
    hung.signal()
  }

  @Test("what does not answer is not asked again until it does, and others are served meanwhile")
  func bounded() async {
    let hung = DispatchSemaphore(value: 0)
    let asked = Mutex(0)
    let probe = FileProbe(patience: .milliseconds(50))
    func answers(_ paths: [String], for caller: String) async -> [String] {
      @Sendable func reach(_ path: [UInt8]) {
        guard path.starts(with: "/hung".utf8) else { return }
        asked.withLock { $0 += 1 }
        hung.wait()
      }
      return await probe.results(
        of: paths.map { Array($0.utf8) }, for: caller, late: "late", reach: reach
      ) { path in
        if path.starts(with: "/here/link".utf8) { hung.wait() }
        return "answered"
      }
    }
    let late = [String](repeating: "late", count: 40)
    let many = await answers((0..<40).map { "/hung/\($0)" } + ["/here/a"], for: "a")
    #expect(many == late + ["answered"])
    #expect(await answers(["/hung/x/y", "/here/a"], for: "b") == ["late", "answered"])
    #expect(asked.withLock { $0 } == 1)
    // The folder of a link is not to blame.
    #expect(await answers(["/here/link", "/here/a"], for: "b") == ["late", "answered"])
    // One caller has two threads stuck at most.
    let folders = (1...5).map { "/hung\($0)/x" }
    #expect(await answers(folders, for: "c") == [String](late.prefix(5)))
    #expect(asked.withLock { $0 } == 3)
    #expect(await answers(["/here/a"], for: "d") == ["answered"])
    for _ in 0..<100 { hung.signal() }
  }
}
