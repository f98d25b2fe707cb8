import Foundation
import TemporaryFolders
import Testing

@testable import Host

@MainActor @Suite("A property list being written", .timeLimit(.minutes(30)))
struct FilesBeingWrittenTests {
  private let folder: TemporaryFolder
  private let watch: DirectoryWatch
  private let changes = EventStream<DirectoryWatch.Change>()

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("A/x.app")
    watch = try DirectoryWatch(folders: [folder["A"]]) { [changes] in changes.add($0) }
  }

  private func writer(_ name: String) throws -> FileHandle {
    try FileHandle(forWritingTo: URL(fileURLWithPath: folder[name]))
  }

  private func created(_ name: String) throws -> FileHandle {
    let number = unsafe open(folder[name], O_CREAT | O_EXCL | O_WRONLY, 0o600)
    try #require(number >= 0)
    return FileHandle(fileDescriptor: number, closeOnDealloc: true)
  }

  /// A process that some other test starts at this moment may keep a closed file open for a while.
  private func untilNothingIsWritten() async throws {
    while !watch.pathsBeingWritten.isEmpty { _ = try await changes.next() }
  }

  @Test("in two halves is named between them, and reported after the second") func halves()
    async throws
  {
    try folder.writeElsewhere("old", to: "A/x.plist")
    _ = try await changes.next()
    let file = try writer("A/x.plist")
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: Data("<plist".utf8))
    #expect(watch.pathsBeingWritten == [folder["A/x.plist"]])
    try file.write(contentsOf: Data("/>".utf8))
    #expect(watch.pathsBeingWritten == [folder["A/x.plist"]])
    try file.close()
    #expect(try await changes.next().applications == [folder["A/x.plist"]])
    #expect(watch.pathsBeingWritten == [])
  }

  @Test("inside a bundle is named by its own path") func bundle() async throws {
    let file = try created("A/x.app/Info.plist")
    try file.write(contentsOf: Data("<".utf8))
    #expect(watch.pathsBeingWritten == [folder["A/x.app/Info.plist"]])
    try file.close()
    try await untilNothingIsWritten()
  }

  @Test("counts from its creation on, while it is empty") func created() async throws {
    let file = try created("A/x.plist")
    #expect(watch.pathsBeingWritten == [folder["A/x.plist"]])
    try file.close()
    try await untilNothingIsWritten()
  }

  @Test("counts no more when it is deleted or moved away") func deleted() throws {
    let first = try created("A/x.plist")
    let second = try created("A/y.plist")
    try first.write(contentsOf: Data("<".utf8))
    try second.write(contentsOf: Data("<".utf8))
    #expect(watch.pathsBeingWritten == [folder["A/x.plist"], folder["A/y.plist"]])
    try FileManager.default.removeItem(atPath: folder["A/x.plist"])
    try FileManager.default.moveItem(atPath: folder["A/y.plist"], toPath: folder["y"])
    #expect(watch.pathsBeingWritten == [])
    withExtendedLifetime((first, second)) {}
  }

  @Test("counts no more when a complete one takes its name") func replaced() throws {
    let file = try created("A/x.plist")
    try file.write(contentsOf: Data("<".utf8))
    #expect(watch.pathsBeingWritten == [folder["A/x.plist"]])
    try AtomicFile.write(Array("<plist/>".utf8), to: folder["A/x.plist"])
    #expect(watch.pathsBeingWritten == [])
    withExtendedLifetime(file) {}
  }

  @Test("counts no more when another bundle takes the place of its own") func bundleReplaced()
    throws
  {
    let file = try created("A/x.app/Info.plist")
    try file.write(contentsOf: Data("<".utf8))
    #expect(watch.pathsBeingWritten == [folder["A/x.app/Info.plist"]])
    try FileManager.default.moveItem(atPath: folder["A/x.app"], toPath: folder["old"])
    try folder.makeFolder("A/x.app")
    try folder.writeElsewhere("<plist/>", to: "A/x.app/Info.plist")
    #expect(watch.pathsBeingWritten == [])
    withExtendedLifetime(file) {}
  }

  @Test("is none when it is a hard link, a symbolic link or a FIFO, which nobody closes")
  func neverClosed() throws {
    let full = try folder.write("<plist/>", to: "full")
    let empty = try folder.write("", to: "empty")
    try FileManager.default.linkItem(atPath: full, toPath: folder["A/full.plist"])
    try FileManager.default.linkItem(atPath: empty, toPath: folder["A/empty.plist"])
    try FileManager.default.createSymbolicLink(
      atPath: folder["A/soft.plist"], withDestinationPath: empty)
    try #require(unsafe mkfifo(folder["A/fifo.plist"], 0o600) == 0)
    try folder.makeFolder("A/folder.plist")
    #expect(watch.pathsBeingWritten == [])
  }

  @Test("stays named when its bundle gets another folder or other permissions meanwhile")
  func bundleTouched() async throws {
    let file = try created("A/x.app/Info.plist")
    try file.write(contentsOf: Data("<".utf8))
    try folder.makeFolder("A/x.app/Contents")
    try #require(unsafe chmod(folder["A/x.app"], 0o700) == 0)
    #expect(watch.pathsBeingWritten == [folder["A/x.app/Info.plist"]])
    try file.close()
    try await untilNothingIsWritten()
  }
}
