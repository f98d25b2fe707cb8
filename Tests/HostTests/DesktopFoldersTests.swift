import Foundation
import Glibc
import TemporaryFolders
import Testing

@testable import Host

@Suite("The folders of desktop entries") struct DesktopFoldersTests {
  private let folder: TemporaryFolder
  private let folders: DesktopFolders

  init() throws {
    folder = try TemporaryFolder()
    folders = DesktopFolders(
      UserFolders(environment: [
        "HOME": folder.path, "XDG_DATA_HOME": folder["home"], "XDG_DATA_DIRS": folder["all"],
        "XDG_CONFIG_HOME": folder["config"], "XDG_CONFIG_DIRS": folder["none"],
      ]))
    try folder.makeFolder("home/applications/kde/deep")
    try folder.makeFolder("all/applications")
    try folder.makeFolder("config")
  }

  @Test("Folders are part of the ID, and the first folder with an entry decides") func identifiers()
    throws
  {
    for name in ["home/applications/b", "home/applications/kde/deep/c", "all/applications/a"] {
      try folder.write("", to: name + ".desktop")
      try folder.write("", to: name + ".txt")
    }
    try folder.write("", to: "all/applications/b.desktop")
    #expect(folders.entries().identifiers == ["b.desktop", "kde-deep-c.desktop", "a.desktop"])
    #expect(folders.entries().unread.isEmpty)
  }

  @Test("What GIO would wait for or choke on is not read, also below an entry of the same ID")
  func unread() throws {
    #expect(unsafe mkfifo(folder["home/applications/fifo.desktop"], 0o600) == 0)
    try folder.write("", to: "all/applications/fifo.desktop")
    try folder.write(String(repeating: "x", count: 2 << 20), to: "home/applications/large.desktop")
    try folder.makeFolder("home/applications/folder.desktop")
    try folder.write("", to: "home/applications/right.desktop")
    try FileManager.default.createSymbolicLink(
      atPath: folder["home/applications/nowhere.desktop"], withDestinationPath: "/nowhere")
    try FileManager.default.createSymbolicLink(
      atPath: folder["home/applications/cycle"], withDestinationPath: ".")
    let entries = folders.entries()
    #expect(entries.identifiers.filter { !$0.hasPrefix("cycle-") } == ["right.desktop"])
    #expect(entries.identifiers.count < 10)
    #expect(
      entries.unread[folder["home/applications/fifo.desktop"]] == "it is no regular file")
    #expect(
      entries.unread[folder["home/applications/large.desktop"]]
        == "it has more than 1048576 bytes")
  }

  @Test("An ID is not read when GIO would wait for the entry of a later folder, which it may read")
  func unreadLater() throws {
    try folder.write("", to: "home/applications/fifo.desktop")
    #expect(unsafe mkfifo(folder["all/applications/fifo.desktop"], 0o600) == 0)
    try folder.write("", to: "home/applications/large.desktop")
    try folder.write(String(repeating: "x", count: 2 << 20), to: "all/applications/large.desktop")
    try folder.write("", to: "home/applications/right.desktop")
    try folder.write("", to: "all/applications/right.desktop")
    let entries = folders.entries()
    #expect(entries.identifiers == ["right.desktop"])
    #expect(entries.paths == [folder["home/applications/right.desktop"]])
    #expect(entries.unreadIdentifiers == ["fifo.desktop", "large.desktop"])
    #expect(
      entries.unreadPaths
        == [folder["all/applications/fifo.desktop"], folder["all/applications/large.desktop"]])
    #expect(entries.unread[entries.unreadPaths[0]] == "it is no regular file")
  }

  @Test("Folders in folders of entries are found, each once, but no more than asked for")
  func subfolders() throws {
    try folder.makeFolder("home/applications/dot.desktop")
    try folder.makeFolder("config/other")
    try folder.write("", to: "home/applications/file")
    try FileManager.default.createSymbolicLink(
      atPath: folder["home/applications/cycle"], withDestinationPath: ".")
    #expect(
      folders.subfolders(atMost: 9)
        == [folder["home/applications/kde"], folder["home/applications/kde/deep"]])
    #expect(folders.subfolders(atMost: 1) == [folder["home/applications/kde"]])
  }

  @Test("Lists and entries that are links are found, but no more than asked for")
  func links() throws {
    for name in ["list", "entry", "other"] { try folder.write("", to: name) }
    for (link, target) in [
      ("config/mimeapps.list", "list"), ("home/applications/a.desktop", "entry"),
      ("home/applications/a.txt", "other"),
    ] {
      try FileManager.default.createSymbolicLink(
        atPath: folder[link], withDestinationPath: folder[target])
    }
    let entry = folder["home/applications/a.desktop"]
    #expect(folders.links(atMost: 9) == [folder["config/mimeapps.list"], entry])
    #expect(folders.links(atMost: 1).count == 1)
    #expect(folders.entries(without: [entry]).identifiers.isEmpty)
    #expect(folders.entries(without: [entry]).unread == [entry: "its file system does not answer"])
  }
}
