import Foundation
import Host
import RegistryLoading
import Testing

@testable import LaunchServicesDaemon

@MainActor @Suite("The files of the registry", .timeLimit(.minutes(30)))
final class RegistryFilesTests {
  private let folder = StateFolder.root + "/registry-" + UUID().uuidString
  private var whole: String { folder + "/registry.plist" }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func files(logTo log: Int32 = -1) -> RegistryFiles {
    RegistryFiles(in: folder, Journal(program: "tests", environment: [:], descriptor: log))
  }

  private func registration(_ name: String) -> RegistryState.Registration {
    .init(path: "/Applications/\(name).plist", definitions: ["NAME": name], registeredAt: 7)
  }

  private func add(
    _ name: String, to state: inout RegistryState, in files: RegistryFiles
  ) throws {
    state.add(registration(name))
    try files.write(state, adding: registration(name))
  }

  private func paths(_ state: RegistryState) -> [String] { state.registrations.map(\.path) }

  private func small() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder + "/registrations").sorted()
  }

  @Test("A registration leaves the others as they are on disk, and is read by the next daemon")
  func added() throws {
    let first = files()
    var state = first.read()
    state.bindings = ["photos": "com.example.photos"]
    try first.write(state)
    let before = try Data(contentsOf: URL(filePath: whole))
    for name in ["a", "b", "a"] { try add(name, to: &state, in: first) }
    #expect(try Data(contentsOf: URL(filePath: whole)) == before)
    let next = files().read()
    #expect(next.registrations == [registration("b"), registration("a")])
    #expect(next.bindings == state.bindings)
    #expect(try small() == [])
    #expect(files().read().registrations == next.registrations)
  }

  @Test("What is taken back stays so, also after a crash before the small files are removed")
  func crash() throws {
    let first = files()
    var state = first.read()
    for name in ["a", "b"] { try add(name, to: &state, in: first) }
    let left = try small().map { name in
      (name, try Data(contentsOf: URL(filePath: "\(folder)/registrations/\(name)")))
    }
    state.registrations.removeFirst()
    try first.write(state)
    #expect(try small() == [])
    for (name, data) in left {
      try data.write(to: URL(filePath: "\(folder)/registrations/\(name)"))
    }
    let second = files()
    #expect(paths(second.read()) == [registration("b").path])
    #expect(try small() == [])
    // Their numbers are not used again.
    try add("c", to: &state, in: second)
    #expect(paths(files().read()) == ["b", "c"].map { registration($0).path })
  }

  @Test("Many are put together now and then") func many() throws {
    let first = files()
    var state = first.read()
    for number in 0..<600 { try add("\(number)", to: &state, in: first) }
    #expect(try small().count < 256)
    #expect(files().read().registrations == state.registrations)
  }

  @Test("A folder that cannot be read is logged; a missing one is not") func unreadable() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let log = try FileHandle(forUpdating: Self.emptyFile(folder + "/log"))
    _ = files(logTo: log.fileDescriptor).read()
    try log.seek(toOffset: 0)
    #expect(try log.readToEnd() ?? Data() == Data())
    _ = try Self.emptyFile(folder + "/registrations")
    _ = files(logTo: log.fileDescriptor).read()
    try log.seek(toOffset: 0)
    let text = String(decoding: try log.readToEnd() ?? Data(), as: UTF8.self)
    #expect(text.contains("single registrations cannot be read"))
    #expect(text.contains("\(folder)/registrations"))
  }

  private static func emptyFile(_ path: String) throws -> URL {
    try Data().write(to: URL(filePath: path))
    return URL(filePath: path)
  }

  @Test("The file of an earlier version is read as it is") func earlier() throws {
    struct Earlier: Codable {
      var registrations: [RegistryState.Registration]
      var bindings: [String: String]
    }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    try encoder.encode(Earlier(registrations: [registration("a")], bindings: ["x": "com.x"]))
      .write(to: URL(filePath: whole))
    let first = files()
    var state = first.read()
    #expect(paths(state) == [registration("a").path] && state.bindings == ["x": "com.x"])
    try add("b", to: &state, in: first)
    #expect(paths(files().read()) == ["a", "b"].map { registration($0).path })
  }

  @Test("One that is damaged is moved aside, and the others count") func damaged() throws {
    let first = files()
    var state = first.read()
    for name in ["a", "b", "c"] { try add(name, to: &state, in: first) }
    try Data("no property list".utf8).write(to: URL(filePath: folder + "/registrations/2.plist"))
    #expect(paths(files().read()) == ["a", "c"].map { registration($0).path })
    #expect(try small() == ["2.plist.damaged"])
  }
}
