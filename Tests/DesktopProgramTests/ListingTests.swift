import Commands
import Foundation
import Host
import TemporaryFolders
import Testing

@testable import launchservices_desktop

@Suite("What the program lists") struct ListingTests {
  @Test("The entries are listed once for all names, and not without need") func names() {
    var count = 0
    let names = ApplicationNames {
      count += 1
      return ["other.desktop"]
    }
    #expect(count == 0)
    for number in 1...1000 {
      #expect(names.name(of: "\(number).desktop") == "\(number).desktop")
    }
    #expect(count == 1)
  }

  @Test("Folders of processes that were killed are removed, others stay") func leftovers() throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "launch-services-hidden-killed/applications/a.desktop")
    try folder.write("", to: "launch-services-hidden-killed/lock")
    try folder.write("", to: "launch-services-hidden-used/applications/a.desktop")
    try folder.write("mine", to: "launch-services-hidden-file")
    let lock = try #require(try FolderLock.take(folder["launch-services-hidden-used"]))
    HiddenEntries.removeUnused(in: folder.path)
    #expect(
      try folder.names().sorted() == ["launch-services-hidden-file", "launch-services-hidden-used"])
    #expect(
      FileManager.default.fileExists(
        atPath: folder["launch-services-hidden-used/applications/a.desktop"]))
    withExtendedLifetime(lock) {}
  }
}
