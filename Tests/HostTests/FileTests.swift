import Foundation
import TemporaryFolders
import Testing

@testable import Host

@Suite("A file is read", .timeLimit(.minutes(30))) struct RegularFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func refusal(_ path: String, atMost limit: Int = 100) -> String? {
    #expect(throws: FileError.self) { try RegularFile.read(path, atMost: limit) }?.description
  }

  @Test("with the stamp it has") func whole() throws {
    let path = try folder.write("héllo", to: "file")
    let (bytes, stamp) = try RegularFile.read(path, atMost: 100)
    #expect(bytes == Array("héllo".utf8))
    #expect(stamp == (try FileStamp(path: path)))
    #expect(stamp.size == 6)
    #expect(stamp.identity == FileIdentity(path: path))
  }

  @Test("up to its limit, and no further") func limit() throws {
    let path = try folder.write("12345", to: "file")
    #expect(try RegularFile.read(path, atMost: 5).bytes.count == 5)
    #expect(refusal(path, atMost: 4) == "\(path): it is larger than the limit of 4 bytes")
  }

  @Test("although it is longer than one piece") func long() throws {
    let path = try folder.write(String(repeating: "0123456789", count: 20_000), to: "file")
    #expect(try RegularFile.read(path, atMost: 1_000_000).bytes.count == 200_000)
  }

  @Test("unless it has 5 gigabytes, of which none is looked at") func sparse() throws {
    let path = try folder.write("", to: "file")
    try #require(unsafe truncate(path, 5 << 30) == 0)
    #expect(
      refusal(path, atMost: 1 << 20) == "\(path): it is larger than the limit of 1048576 bytes")
  }

  @Test("unless it is longer than it says it is") func endless() {
    // The kernel says that each of its files has 0 bytes.
    #expect(refusal("/proc/self/status", atMost: 10)?.hasSuffix("the limit of 10 bytes") == true)
  }

  @Test("unless it is a FIFO, for whose writer nobody waits") func fifo() throws {
    try #require(unsafe mkfifo(folder["fifo"], 0o600) == 0)
    #expect(
      refusal(folder["fifo"])
        == "\(folder["fifo"]): it is a FIFO, but a regular file is needed")
  }

  @Test("unless it is a device, a folder or missing") func others() {
    #expect(refusal("/dev/zero") == "/dev/zero: it is a device, but a regular file is needed")
    #expect(
      refusal(folder.path) == "\(folder.path): it is a folder, but a regular file is needed")
    #expect(
      refusal("/nowhere") == "/nowhere: cannot open it: No such file or directory (error 2)")
  }

  @Test("unless its links lead to themselves") func cycle() throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder["a"], withDestinationPath: folder["b"])
    try FileManager.default.createSymbolicLink(
      atPath: folder["b"], withDestinationPath: folder["a"])
    #expect(
      refusal(folder["a"])
        == "\(folder["a"]): cannot open it: Too many levels of symbolic links (error 40)")
  }

  @Test("not when its path contains a zero byte, which would be another path") func zeroByte() {
    #expect(refusal("/etc/passwd\0.plist")?.contains("Invalid argument") == true)
    #expect(FileIdentity(path: "/etc/passwd\0.plist") == nil)
  }

  @Test("and another content has another stamp") func stamps() throws {
    let path = try folder.write("1", to: "file")
    let first = try FileStamp(path: path)
    try AtomicFile.write(Array("2".utf8), to: path)
    let second = try FileStamp(path: path)
    #expect(first != second)
    #expect(first.description != second.description)
    #expect(second == (try FileStamp(path: path)))
  }

  @Test("under any of its names, which have one identity") func identity() throws {
    let path = try folder.write("1", to: "file")
    try FileManager.default.linkItem(atPath: path, toPath: folder["hard"])
    try FileManager.default.createSymbolicLink(
      atPath: folder["soft"], withDestinationPath: path)
    #expect(FileIdentity(path: path) != nil)
    #expect(FileIdentity(path: folder["hard"]) == FileIdentity(path: path))
    #expect(FileIdentity(path: folder["soft"]) == FileIdentity(path: path))
    #expect(FileIdentity(path: folder["none"]) == nil)
  }
}

@Suite("A file is replaced at once", .timeLimit(.minutes(30))) struct AtomicFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func permissions(_ path: String) throws -> Int {
    let found = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    return try #require(found as? Int)
  }

  @Test("and nothing else is left in its folder") func replaced() throws {
    let path = try folder.write("old", to: "file")
    try AtomicFile.write(Array("new".utf8), to: path)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
    #expect(try folder.names() == ["file"])
    #expect(try permissions(path) == 0o600)
  }

  @Test("and what a killed writer left is removed, when it is old, and nothing else")
  func unfinished() throws {
    func name(_ digit: Int) -> String { ".new-" + String(repeating: "\(digit)", count: 16) }
    let others = [".new-", ".new-1", name(1) + "1", ".new-000000000000000G", "file"]
    for name in others + [name(1), name(2)] { try folder.write("x", to: name) }
    try folder.makeFolder(name(3))
    try FileManager.default.createSymbolicLink(
      atPath: folder[name(4)], withDestinationPath: folder["file"])
    for name in others + [name(1), name(3), name(4)] {
      // An hour ago; of the link itself.
      var times = [timespec(), timespec()]
      for index in times.indices { times[index].tv_sec = time(nil) - 3600 }
      #expect(unsafe utimensat(AT_FDCWD, folder[name], times, AT_SYMLINK_NOFOLLOW) == 0)
    }
    AtomicFile.removeUnfinished(in: folder.path)
    #expect(Set(try folder.names()) == Set(others + [name(2), name(3), name(4)]))
    AtomicFile.removeUnfinished(in: folder["none"])
  }

  @Test("with missing folders made for the owner alone") func folders() throws {
    let path = folder["a/b/file"]
    try AtomicFile.write([1], to: path, mode: 0o640)
    #expect(try permissions(path) == 0o640)
    #expect(try permissions(folder["a"]) == 0o700)
    #expect(try permissions(folder["a/b"]) == 0o700)
  }

  @Test("or not at all, which leaves no trace") func refused() throws {
    try folder.makeFolder("file")
    let error = #expect(throws: FileError.self) { try AtomicFile.write([1], to: folder["file"]) }
    #expect(
      error?.description == "\(folder["file"]): it is a folder, but a regular file is needed")
    #expect(try folder.names() == ["file"])
  }

  @Test("unless it is no regular file, also behind a link", arguments: ["fifo", "link"])
  func irregular(name: String) throws {
    try #require(unsafe mkfifo(folder["fifo"], 0o600) == 0)
    try FileManager.default.createSymbolicLink(
      atPath: folder["link"], withDestinationPath: folder["fifo"])
    let error = #expect(throws: FileError.self) { try AtomicFile.write([1], to: folder[name]) }
    #expect(
      error?.description == "\(folder["fifo"]): it is a FIFO, but a regular file is needed")
    var status = stat()
    #expect(unsafe lstat(folder["fifo"], &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    #expect(try folder.names().sorted() == ["fifo", "link"])
  }

  @Test("but not below something that is no folder") func below() throws {
    try folder.write("", to: "file")
    let error = #expect(throws: FileError.self) { try AtomicFile.write([1], to: folder["file/x"]) }
    #expect(error?.errno == .notAFolder)
  }

  @Test("and a symbolic link to it stays one") func link() throws {
    try folder.write("old", to: "file")
    try FileManager.default.createSymbolicLink(
      atPath: folder["link"], withDestinationPath: folder["file"])
    try AtomicFile.write(Array("new".utf8), to: folder["link"])
    #expect(try String(contentsOfFile: folder["file"], encoding: .utf8) == "new")
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: folder["link"]) == folder["file"])
  }

  @Test("and links that lead nowhere yet lead to it") func danglingLinks() throws {
    for (link, target) in [
      ("one", "two"), ("two", "../\(URL(filePath: folder.path).lastPathComponent)/file"),
    ] {
      try FileManager.default.createSymbolicLink(
        atPath: folder[link], withDestinationPath: target)
    }
    try AtomicFile.write([1], to: folder["one"])
    #expect(try folder.names() == ["file", "one", "two"])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder["one"]) == "two")
    try AtomicFile.remove(folder["one"], followsLinks: true)
    #expect(try folder.names() == ["one", "two"])
  }

  @Test("and what is there already stays when a file is created") func created() throws {
    #expect(try AtomicFile.create([1], at: folder["file"]))
    #expect(try !AtomicFile.create([2], at: folder["file"]))
    #expect(try Data(contentsOf: URL(filePath: folder["file"])) == Data([1]))
    try FileManager.default.createSymbolicLink(
      atPath: folder["link"], withDestinationPath: "nowhere")
    #expect(try !AtomicFile.create([2], at: folder["link"]))
    #expect(try !AtomicFile.replace(folder["file"], with: [2], mode: 0o600, if: { false }))
    #expect(try Data(contentsOf: URL(filePath: folder["file"])) == Data([1]))
    #expect(try folder.names().sorted() == ["file", "link"])
  }

  @Test("and only what is no file is removed to make room") func room() throws {
    try folder.write("", to: "file")
    try folder.write("", to: "full/file")
    try folder.makeFolder("empty")
    #expect(unsafe mkfifo(folder["fifo"], 0o600) == 0)
    try FileManager.default.createSymbolicLink(
      atPath: folder["link"], withDestinationPath: "full")
    for name in ["file", "empty", "fifo", "link", "missing"] {
      try AtomicFile.removeUnlessFile(folder[name])
    }
    #expect(throws: FileError.self) { try AtomicFile.removeUnlessFile(folder["full"]) }
    #expect(try folder.names().sorted() == ["file", "full"])
  }

  @Test("and processes that wait for the other end of a removed FIFO go on") func waiting()
    async throws
  {
    let fifo = folder["fifo"]
    try #require(unsafe mkfifo(fifo, 0o600) == 0)
    let (ends, continuation) = AsyncStream.makeStream(of: ProcessEnd.self)
    let reader = try await ChildProcess(shell(#"exec cat "$1""#, fifo)) { continuation.yield($0) }
    // cat sleeps first when it opens the file.
    let state = "/proc/\(reader.pid)/stat"
    while try !String(contentsOfFile: state, encoding: .utf8).contains("(cat) S") {
      await Task.yield()
    }
    try AtomicFile.removeUnlessFile(fifo)
    for await end in ends.prefix(1) { #expect(end == .exited(code: 0)) }
  }

  @Test("and a symbolic link that is not to be followed is replaced") func linkReplaced() throws {
    let file = try folder.write("old", to: "file")
    try FileManager.default.createSymbolicLink(
      atPath: folder["link"], withDestinationPath: file)
    try AtomicFile.write(Array("new".utf8), to: folder["link"], followsLinks: false)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "old")
    #expect(try String(contentsOfFile: folder["link"], encoding: .utf8) == "new")
    #expect(!isSymbolicLink(folder["link"]))
  }

  @Test(
    "in the folder before the last name",
    arguments: [
      ("/a/b", "/a"), ("/a/b//", "/a"), ("/a//b", "/a"), ("/a", "/"), ("/", "/"), ("a", "."),
    ])
  func parents(_ path: String, _ folder: String) {
    #expect(parent(of: path) == folder)
  }
}

@Suite("A folder is listed") struct FolderListingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("in order, with hidden names") func names() throws {
    for name in ["b", "a", ".c", "ü"] { try folder.write("", to: name) }
    #expect(try FolderListing(of: folder.path).names == [".c", "a", "b", "ü"])
  }

  @Test("with the names apart that are not UTF-8") func unusable() throws {
    let bytes = Array("\(folder.path)/".utf8CString.dropLast()) + [-1, 0]
    let file = unsafe open(bytes, O_CREAT | O_WRONLY, 0o600)
    try #require(file >= 0)
    close(file)
    let listing = try FolderListing(of: folder.path)
    #expect(listing.names == [])
    #expect(listing.unusable == ["\u{fffd}"])
  }

  @Test("up to a limit") func limit() throws {
    for name in ["a", "b", "c"] { try folder.write("", to: name) }
    #expect(try FolderListing(of: folder.path, atMost: 3).names.count == 3)
    #expect(throws: FileError(folder.path, .tooManyEntries(limit: 2))) {
      try FolderListing(of: folder.path, atMost: 2)
    }
  }

  @Test("unless it is none") func none() throws {
    let file = try folder.write("", to: "file")
    let error = #expect(throws: FileError.self) { try FolderListing(of: file) }
    #expect(error?.description == "\(file): cannot list it: Not a directory (error 20)")
  }
}
