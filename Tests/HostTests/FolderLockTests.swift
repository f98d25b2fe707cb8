import Foundation
import Glibc
import Host
import TemporaryFolders
import Testing

@Suite("The lock of a folder", .timeLimit(.minutes(30))) struct FolderLockTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("is had by one at a time, and makes the folder") func once() throws {
    let path = folder["state/launch-services"]
    #expect(FolderLock.owner(of: path) == nil)
    let lock = try #require(try FolderLock.take(path))
    withExtendedLifetime(lock) {
      #expect(throws: Never.self) { try #require(try FolderLock.take(path) == nil) }
      #expect(FolderLock.owner(of: path) == getpid())
    }
  }

  @Test("tells when its file was removed or replaced, and another may have the folder")
  func replaced() throws {
    let lock = try #require(try FolderLock.take(folder.path))
    #expect(lock.isInPlace)
    try FileManager.default.removeItem(atPath: folder["lock"])
    #expect(!lock.isInPlace)
    let other = try #require(try FolderLock.take(folder.path))
    #expect(!lock.isInPlace)
    #expect(other.isInPlace)
    withExtendedLifetime((lock, other)) {}
  }

  @Test("says why it cannot be had") func unwritable() throws {
    try folder.makeFolder("lock")
    let error = #expect(throws: FileError.self) { try FolderLock.take(folder.path) }
    #expect(error?.description == "\(folder["lock"]): cannot open it: Is a directory (error 21)")
  }

  @Test("is not written through a link") func links() throws {
    let precious = folder["precious"]
    try "keep".write(toFile: precious, atomically: true, encoding: .utf8)
    let lock = folder["lock"]
    for make in ["-s", "-f"] {
      try Process.run(URL(fileURLWithPath: "/bin/ln"), arguments: [make, precious, lock])
        .waitUntilExit()
      #expect(throws: FileError.self) { try FolderLock.take(folder.path) }
      #expect(try String(contentsOfFile: precious, encoding: .utf8) == "keep")
      try FileManager.default.removeItem(atPath: lock)
    }
  }
}
