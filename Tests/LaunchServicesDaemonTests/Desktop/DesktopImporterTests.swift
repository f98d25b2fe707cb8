import Foundation
import Host
import LaunchRules
import ProcessSupervision
import Testing

@testable import LaunchServicesDaemon

@MainActor @Suite("The import of desktop entries", .timeLimit(.minutes(30)))
struct DesktopImporterTests {
  @Test("Entries are read at the start, and again after a change") func reads() async throws {
    let world = try ImporterWorld()
    try world.list(["a.desktop"])
    try world.entry("a.desktop")
    let importer = world.importer()
    await importer.start()
    #expect(try await world.read.next() == ["a.desktop"])
    try world.list(["a.desktop", "b.desktop"])
    try world.entry("b.desktop")
    #expect(try await world.read.next() == ["a.desktop", "b.desktop"])
    importer.stop()
  }

  @Test("Entries in folders are read again, also in a folder that appears later or is removed")
  func subfolders() async throws {
    let world = try ImporterWorld()
    try world.list(["kde-a.desktop"])
    try world.entry("kde/a.desktop")
    let importer = world.importer()
    await importer.start()
    #expect(try await world.read.next() == ["kde-a.desktop"])
    try world.list(["kde-a.desktop", "kde-b.desktop"])
    try world.entry("kde/b.desktop")
    #expect(try await world.read.next() == ["kde-a.desktop", "kde-b.desktop"])
    try world.list(["kde-b.desktop", "new-deep-c.desktop"])
    try world.entry("new/deep/c.desktop")
    #expect(try await world.read.next() == ["kde-b.desktop", "new-deep-c.desktop"])
    try world.list(["new-deep-c.desktop"])
    try world.removeFolder("kde")
    #expect(try await world.read.next() == ["new-deep-c.desktop"])
    importer.stop()
  }

  @Test("A list that is a symbolic link is read again when its target was replaced or written")
  func linkedList() async throws {
    let world = try ImporterWorld()
    try world.list(["a.desktop"])
    try world.entry("a.desktop")
    try world.linkList(to: "dot/my-list")
    let importer = world.importer()
    await importer.start()
    #expect(try await world.read.next() == ["a.desktop"])
    for (isAtomic, name) in [(true, "b.desktop"), (false, "c.desktop"), (true, "d.desktop")] {
      try world.list([name])
      try world.write("dot/my-list", isAtomic: isAtomic)
      #expect(try await world.read.next() == [name])
    }
    importer.stop()
  }

  @Test("Each reading is reported, also one that finds nothing new") func ends() async throws {
    let world = try ImporterWorld()
    try world.list(["a.desktop"])
    try world.entry("a.desktop")
    let importer = world.importer()
    await importer.start()
    #expect(try await world.read.next() == ["a.desktop"])
    let first = world.ends
    await importer.reload()
    #expect(first > 0 && world.ends > first)
    importer.stop()
  }

  @Test("Without entries the program does not run") func noEntries() async throws {
    let world = try ImporterWorld()
    try world.list(["a.desktop"])
    let importer = world.importer()
    await importer.start()
    #expect(try await world.read.next() == [])
    importer.stop()
  }

  @Test("The next daemon begins with the list of the one before, also when the program fails")
  func cached() async throws {
    let world = try ImporterWorld()
    try world.list(["a.desktop"])
    try world.entry("a.desktop")
    let first = world.importer()
    await first.start()
    #expect(try await world.read.next() == ["a.desktop"])
    first.stop()
    try world.program("exit 3")
    let second = world.importer()
    await second.start()
    #expect(try await world.read.next() == ["a.desktop"])
    let line = try await world.log.lines.next()
    #expect(line.contains("the desktop applications may not be current"), "\(line)")
    #expect(line.contains("exited with code 3"), "\(line)")
    second.stop()
  }

  @Test("Of two IDs that differ in case only, one is registered, and the log names the other")
  func twins() async throws {
    let world = try ImporterWorld()
    try world.list(
      ["Foo.desktop", "foo.desktop"], handlers: ["x": ["foo.desktop", "Foo.desktop"]])
    try world.entry("foo.desktop")
    let importer = world.importer()
    await importer.start()
    let line = try await world.log.lines.next()
    #expect(line.contains("entry=Foo.desktop registered=foo.desktop"), "\(line)")
    #expect(try await world.read.next() == ["foo.desktop"])
    importer.stop()
  }

  @Test("What is no list changes nothing, and the log says so") func noList() async throws {
    let world = try ImporterWorld()
    try world.list(["a.desktop"])
    try world.entry("a.desktop")
    let importer = world.importer()
    await importer.start()
    #expect(try await world.read.next() == ["a.desktop"])
    try world.program("echo none")
    await importer.reload()
    let line = try await world.log.lines.next()
    #expect(line.contains("the list of desktop applications cannot be read"), "\(line)")
    try world.list(["b.desktop"])
    await importer.reload()
    #expect(try await world.read.next() == ["b.desktop"])
    importer.stop()
  }

  @Test("Without the program no desktop application is registered") func noProgram() async throws {
    let world = try ImporterWorld()
    try world.entry("a.desktop")
    let importer = world.importer()
    await importer.start()
    #expect(try await world.read.next() == [])
    importer.stop()
  }
}

@MainActor @Suite("MIME types of the desktop", .timeLimit(.minutes(30)))
struct DesktopMIMETypesTests {
  @Test("Each file has a line; an empty line is an unknown type") func lines() async throws {
    let world = try ImporterWorld()
    try world.program("echo image/png; echo; echo text/plain")
    let types = world.types()
    #expect(
      await types.ask(["file:///1", "file:///2", "file:///3", "file:///4"])
        == ["image/png", nil, "text/plain", nil])
    #expect(await types.ask([]) == [])
  }

  @Test("A program that fails or is missing knows no type") func fails() async throws {
    let world = try ImporterWorld()
    #expect(await world.types().ask(["file:///1"]) == [nil])
    try world.program("echo image/png; exit 1")
    #expect(await world.types().ask(["file:///1"]) == [nil])
  }
}

/// A folder with desktop entries, and a program in the place of the one that reads them with GIO.
@MainActor final class ImporterWorld {
  /// The number of ended readings.
  private(set) var ends = 0
  let read = EventStream<[String]>()
  let log = CapturedLog("importer-tests")
  private let folder: StateFolder

  init() throws {
    folder = try StateFolder()
    for name in ["bin", "data/applications", "config", "cache"] {
      try FileManager.default.createDirectory(
        atPath: folder.file(name), withIntermediateDirectories: true)
    }
  }

  private var environment: [String: String] {
    [
      "PATH": folder.file("bin") + ":/usr/bin:/bin", "HOME": folder.path,
      "XDG_DATA_HOME": folder.file("data"), "XDG_DATA_DIRS": folder.file("none"),
      "XDG_CONFIG_HOME": folder.file("config"), "XDG_CONFIG_DIRS": folder.file("none"),
    ]
  }

  private var program: String { folder.file("bin/" + DesktopBridge.program) }

  private var desktopProgram: DesktopProgram {
    DesktopProgram(HandlerEnvironment(inheriting: environment), at: program)
  }

  func importer() -> DesktopImporter {
    let importer = DesktopImporter(
      cacheFile: folder.file("cache/list.plist"), desktopProgram,
      UserFolders(environment: environment), log.journal)
    importer.onEvent = { [weak self] event in
      switch event {
      case .applications(let records):
        self?.read.add(records.compactMap { $0.application?.identifier.text }.sorted())
      case .end: self?.ends += 1
      }
    }
    return importer
  }

  func types() -> DesktopMIMETypes {
    DesktopMIMETypes(desktopProgram, log.journal)
  }

  func linkList(to target: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder.file("dot"), withIntermediateDirectories: true)
    try write(target, isAtomic: false)
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("config/mimeapps.list"), withDestinationPath: folder.file(target))
  }

  func write(_ name: String, isAtomic: Bool) throws {
    try "[Default Applications]\n".write(
      toFile: folder.file(name), atomically: isAtomic, encoding: .utf8)
  }

  func removeFolder(_ name: String) throws {
    try FileManager.default.removeItem(atPath: folder.file("data/applications/" + name))
  }

  func entry(_ name: String) throws {
    let file = URL(filePath: folder.file("data/applications/" + name))
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try "[Desktop Entry]\n".write(to: file, atomically: true, encoding: .utf8)
  }

  /// The program prints a list with these entries.
  func list(_ identifiers: [String], handlers: [String: [String]] = [:]) throws {
    let list = DesktopApplicationList(
      entries: identifiers.map {
        .init(identifier: $0, path: "/nowhere/\($0)", name: $0, displayName: $0, icon: nil)
      }, handlers: handlers)
    try PropertyListEncoder().encode(list).write(
      to: URL(fileURLWithPath: folder.file("list.plist")), options: .atomic)
    try program("cat '\(folder.file("list.plist"))'")
  }

  func program(_ commands: String) throws {
    let path = program
    try "#!/bin/sh\n\(commands)\n".write(toFile: path + ".new", atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path + ".new")
    guard unsafe rename(path + ".new", path) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }
}
