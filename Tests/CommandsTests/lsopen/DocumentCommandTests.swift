import BusContract
import Commands
import DBus
import Foundation
import Testing

@testable import lsopen

@Suite struct DocumentOpeningTests {
  private func run(
    _ arguments: [String], _ script: ScriptedService, text: String = "/usr/bin/env"
  ) -> Ending {
    let screen = Screen()
    let command = OpenCommand(
      service: script.service, output: screen.output(of: "lsopen"), environment: { _ in nil },
      folder: "/usr", newRequestID: { "id" }, readText: { () throws(CommandFailure) in text })
    return Ending(command.run(arguments), screen.standardOutput, error: screen.standardError)
  }

  private static func receipt(_ documents: String...) -> Options {
    [
      "handler": .string("com.a"), "launch": .string("cold"), "delivery": .string("delivered"),
      "handled": .boolean(true), "documents": .strings(documents),
    ]
  }

  @Test("R5.28 several files are one call, at the place of the first; what fails is named")
  func batch() {
    let missing: Options = [
      "error": .string("NoSuchFile"), "message": .string("gone"),
      "documents": .strings(["file:///usr/lib"]),
    ]
    let script = ScriptedService(
      .success([.options([:])]),
      .success([.optionsList([Self.receipt("file:///usr/bin"), missing])]),
      .success([.options([:])]))
    #expect(
      run(["a:1", "bin", "b:1", "file:///usr/lib"], script)
        == Ending(.noSuchFile, error: "lsopen: /usr/lib: gone\n"))
    #expect(
      script.calls.map(\.arguments.first) == [
        .string("a:1"), .strings(["file:///usr/bin", "file:///usr/lib"]), .string("b:1"),
      ])
    #expect(script.requestIDs.count == 3)
  }

  @Test("more than one call takes are several calls") func many() {
    let script = ScriptedService(
      .success([.optionsList([Self.receipt("file:///usr/0")])]),
      .success([.optionsList([Self.receipt("file:///usr/1000")])]))
    #expect(run((0..<1200).map { "file:///usr/\($0)" }, script) == Ending(.success))
    #expect(
      script.calls.map { $0.arguments.first?.asStrings?.last }
        == ["file:///usr/999", "file:///usr/1199"])
  }

  @Test("--json prints each receipt and each failure on a line of its own") func json() {
    let script = ScriptedService(
      .success([
        .optionsList([
          ["documents": .strings(["file:///usr/bin"]), "handler": .string("com.a")],
          [
            "documents": .strings(["file:///usr/lib"]), "error": .string("X"),
            "message": .string("y"),
          ],
        ])
      ]))
    #expect(
      run(["--json", "bin", "lib"], script)
        == Ending(
          .failed,
          #"{"documents":["file:///usr/bin"],"handler":"com.a"}"# + "\n"
            + #"{"documents":["file:///usr/lib"],"error":"X","message":"y"}"# + "\n",
          error: "lsopen: /usr/lib: y\n"))
  }

  @Test(
    "R7.2 -t takes the best handler of plain text, -e TextEdit if it is one",
    arguments: [
      ("-t", ["com.b", "com.apple.textedit"], "com.b"),
      ("-e", ["com.b", "com.apple.textedit"], "com.apple.textedit"), ("-e", ["com.b"], "com.b"),
    ])
  func editors(_ option: String, _ handlers: [String], _ expected: String) {
    let script = ScriptedService(.success([.strings(handlers)]), .success([.options([:])]))
    #expect(run([option, "bin"], script) == Ending(.success))
    #expect(script.calls.map(\.member) == ["HandlersOfType", "OpenURL"])
    #expect(script.calls.last?.arguments.last == .options(["application": .string(expected)]))
  }

  @Test("R7.2 -f opens standard input with the text editor") func text() {
    let script = ScriptedService(.success([.strings(["com.b"])]), .success([.options([:])]))
    #expect(run(["-f"], script) == Ending(.success))
    #expect(script.calls.last?.arguments.first == .string("file:///usr/bin/env"))
    let named = ScriptedService(.success([.options([:])]))
    #expect(run(["-f", "-b", "com.c"], named) == Ending(.success))
  }

  @Test(
    "an editor and an application exclude each other, as -f and files do",
    arguments: [
      ["-e", "-b", "com.a", "bin"], ["-t", "-b", "com.a", "bin"], ["-f", "bin"],
      ["-t", "--explain", "x:"],
    ])
  func refused(_ arguments: [String]) {
    let script = ScriptedService()
    #expect(run(arguments, script).code == .usage)
    #expect(script.calls.isEmpty)
  }
}

@Suite struct TextInputTests {
  private func input(_ text: String) throws -> (Pipe, Int32) {
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    try pipe.fileHandleForWriting.close()
    return (pipe, pipe.fileHandleForReading.fileDescriptor)
  }

  private func withFolder(_ body: (TextInput) throws -> Void) throws {
    let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: root) }
    try body(TextInput { $0 == "XDG_CACHE_HOME" ? root : nil })
  }

  @Test("a text that is too long leaves nothing behind") func bounded() throws {
    try withFolder { input in
      var input = input
      input.longest = 4
      let (pipe, number) = try self.input("12345")
      #expect(throws: CommandFailure.self) { try input.save(from: number) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: input.folder) == [])
      withExtendedLifetime(pipe) {}
    }
  }

  @Test("the oldest texts go when there are too many, or they take too much") func room() throws {
    try withFolder { input in
      var input = input
      (input.longest, input.most, input.mostFiles) = (4, 12, 100)
      for _ in 0..<5 {
        let (pipe, number) = try self.input("1234")
        _ = try input.save(from: number)
        withExtendedLifetime(pipe) {}
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: input.folder).count == 3)
    }
  }

  @Test("a folder that others can look into is not used") func privacy() throws {
    try withFolder { input in
      try FileManager.default.createDirectory(
        atPath: input.folder, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o755])
      let (pipe, number) = try self.input("1")
      #expect(throws: CommandFailure.self) { try input.save(from: number) }
      withExtendedLifetime(pipe) {}
    }
  }
}
