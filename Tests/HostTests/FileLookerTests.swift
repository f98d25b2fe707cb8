import Foundation
import Synchronization
import Testing

@testable import Host

@MainActor @Suite struct FileLookerTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  private func path(_ name: String) -> [UInt8] { Array("\(folder.path)/\(name)".utf8) }

  @Test("sees files, folders, FIFOs and what is missing, and opens no FIFO") func glances()
    async throws
  {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("text".utf8).write(to: folder.appending(path: "file"))
    #expect(unsafe mkfifo(folder.path + "/pipe", 0o600) == 0)
    let paths = ["file", "", "pipe", "missing", "file/x"].map(path)
    let looker = FileLooker()
    #expect(
      await looker.glances(at: paths) == [
        .file(isExecutable: false), .folder, .special, .unreachable(.noSuchFile),
        .unreachable(.notAFolder),
      ])
    let opened = await looker.open(paths)
    let numbers = opened.map { try? $0.get().number }
    #expect(numbers.map { $0 != nil } == [true, true, false, false, false])
    withExtendedLifetime(opened) {}
  }

  @Test("a file system that does not answer delays the others by its time, and nothing more")
  func hanging() async {
    let hung = DispatchSemaphore(value: 0)
    let looker = FileLooker(patience: .milliseconds(50))
    let paths = ["a", "hung", "b"].map { Array($0.utf8) }
    let answers = await looker.results(of: paths, late: "late") { path in
      let name = String(decoding: path, as: UTF8.self)
      if name == "hung" { hung.wait() }
      return name
    }
    #expect(answers == ["a", "late", "b"])
    hung.signal()
  }

  @Test("when too many hang, nothing more is asked") func bounded() async {
    let hung = DispatchSemaphore(value: 0)
    let asked = Mutex(0)
    let looker = FileLooker(patience: .milliseconds(10))
    let paths = (0..<40).map { _ in Array("x".utf8) }
    let answers = await looker.results(of: paths, late: "late") { _ in
      asked.withLock { $0 += 1 }
      hung.wait()
      return "answered"
    }
    #expect(answers.count == 40 && Set(answers) == ["late"])
    #expect(asked.withLock { $0 } <= 16)
    for _ in 0..<16 { hung.signal() }
  }
}
