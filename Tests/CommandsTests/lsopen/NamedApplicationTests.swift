import BusContract
import Commands
import DBus
import Foundation
import Testing

@testable import lsopen

/// `lsopen -a`, `-R` and names of files.
@Suite struct NamedApplicationTests {
  private static let receipt = Value.options([
    "handler": .string("com.a"), "launch": .string("warm"), "delivery": .string("delivered"),
    "handled": .boolean(true), "pid": .uint32(42),
  ])

  private static func found(_ identifiers: String...) -> Result<[Value], ServiceFailure> {
    .success([
      .optionsList(
        identifiers.map {
          ["bundle-identifier": .string($0), "bundle": .string("/apps/\($0).app")]
        })
    ])
  }

  private static let absence = ServiceFailure.notRunning("nobody owns the name")

  /// An empty folder for `body`, with an application in it.
  private func inFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString
    let bundle = folder + "/Photos.app"
    try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data().write(to: URL(filePath: bundle + "/Info.plist"))
    try body(folder)
  }

  @Test("R7.2 -a looks the name up, and opens with what was found")
  func named() {
    let script = ScriptedService(Self.found("com.a"), .success([Self.receipt]))
    #expect(runOpen(["-a", "Photos", "x:1"], script) == Ending(.success))
    #expect(
      script.calls.map(\.arguments) == [
        [.options(["name": .string("Photos")])],
        [.string("x:1"), .options(["application": .string("com.a")])],
      ])
  }

  @Test("R6.15 -a and -b alone open the application")
  func alone() {
    let started = Self.receipt.asOptions?.merging(["launch": .string("cold")]) { $1 } ?? [:]
    let script = ScriptedService(Self.found("com.a"), .success([.options(started)]))
    #expect(runOpen(["-na", "Photos", "--args", "y"], script) == Ending(.success))
    #expect(script.calls.last?.member == "OpenApplication")
    #expect(
      script.calls.last?.arguments == [
        .string("com.a"),
        .options(["new-instance": .boolean(true), "arguments": .strings(["y"])]),
      ])
    let other = ScriptedService(.success([Self.receipt]))
    #expect(runOpen(["-b", "com.a"], other) == Ending(.success))
    #expect(other.calls.map(\.arguments) == [[.string("com.a"), .options([:])]])
  }

  @Test("of several the best is used, with a remark")
  func ambiguous() {
    let script = ScriptedService(Self.found("com.b", "com.a"), .success([Self.receipt]))
    #expect(
      runOpen(["-a", "Photos", "x:1"], script)
        == Ending(
          .success,
          error: "lsopen: com.b, com.a are called 'Photos'; using com.b, choose with -b\n"))
  }

  @Test("a name that nobody has is status 4")
  func unknown() {
    #expect(
      runOpen(["-a", "Pho\ntos"], ScriptedService(Self.found()))
        == Ending(
          .failed,
          error: "lsopen: no registered application is called 'Pho\\ntos'; 'lsregister list' shows "
            + "them, and the path of a bundle serves as well\n"))
  }

  @Test("R1.51 a bundle that is not registered is registered first")
  func registers() throws {
    try inFolder { folder in
      let known = ScriptedService(
        Self.found("com.a"), Self.found("com.a"), .success([Self.receipt]))
      #expect(
        runOpen(["-a", "./Photos.app"], known, in: folder)
          == Ending(
            .success,
            error: "lsopen: \(folder)/Photos.app is not the copy of com.a that is in use: using "
              + "/apps/com.a.app\n"))
      #expect(
        known.calls.first?.arguments == [.options(["path": .string(folder + "/Photos.app")])])
      for arguments in [["-a", "./Photos.app"], ["Photos.app"]] {
        let script = ScriptedService(
          Self.found(), .success([.string("com.a")]), Self.found("com.a"),
          .success([Self.receipt]))
        #expect(
          runOpen(arguments, script, in: folder)
            == Ending(
              .success, error: "lsopen: registered \(folder)/Photos.app as com.a\n"))
        #expect(
          script.calls.map(\.member) == [
            "FindApplications", "RegisterApplication", "FindApplications", "OpenApplication",
          ])
      }
      #expect(
        runOpen(["-a", "./No.app"], ScriptedService(), in: folder)
          == Ending(
            .noSuchFile, error: "lsopen: The file \(folder)/No.app does not exist.\n"))
    }
  }

  @Test("R7.1 the form of a URL wins over a file of that name, and lsopen says so; -u says nothing")
  func urlOrFile() throws {
    try inFolder { folder in
      try Data().write(to: URL(filePath: folder + "/x:1"))
      let script = ScriptedService(
        .success([Self.receipt]), .success([Self.receipt]), .success([Self.receipt]))
      #expect(
        runOpen(["x:1"], script, in: folder)
          == Ending(
            .success,
            error: "lsopen: there is a file of this name, too; write ./x:1 to open it\n"))
      #expect(runOpen(["-u", "x:1"], script, in: folder) == Ending(.success))
      #expect(runOpen(["./x:1"], script, in: folder) == Ending(.success))
      #expect(
        script.calls.map(\.arguments.first) == [
          .string("x:1"), .string("x:1"), .string("file://\(folder)/x:1"),
        ])
    }
  }

  @Test("names of files need not be UTF-8; everything else must be")
  func bytes() throws {
    try inFolder { folder in
      let name = EscapedBytes.text([0x61, 0xFF, 0x0A, 0x20])
      let script = ScriptedService(.success([Self.receipt]))
      #expect(
        runOpen([name], script, in: folder)
          == Ending(
            .noSuchFile, error: "lsopen: The file \(folder)/a\\xff\\n  does not exist.\n"))
      let file = Array((folder + "/").utf8) + [0x61, 0xFF, 0x0A, 0x20]
      let descriptor = unsafe creat(file.map { CChar(bitPattern: $0) } + [0], 0o600)
      #expect(descriptor >= 0)
      close(descriptor)
      #expect(runOpen([name], script, in: folder) == Ending(.success))
      #expect(script.calls.first?.arguments.first == .string("file://\(folder)/a%FF%0A%20"))
      #expect(
        runOpen(["x:\(name)"], script, in: folder)
          == Ending(
            .usage,
            error:
              "lsopen: 'x:a\\xff\\n ' is not UTF-8; only names of files may have another encoding\n"
          ))
    }
  }

  @Test("every name has one text, which leads back to it")
  func escapes() {
    let names: [[UInt8]] = [
      [], [0x61], Array("é漢\u{10FFFF}".utf8), [0xFF], [0xC3], [0xC3, 0x28, 0xA9], [0xE6, 0xBC],
      [0xED, 0xA0, 0x80], Array("\u{10FEFF}".utf8), Array("a\u{10FE80}b".utf8),
    ]
    for name in names { #expect(EscapedBytes.bytes(EscapedBytes.text(name)) == name) }
    #expect(Set(names.map(EscapedBytes.text)).count == names.count)
    #expect(EscapedBytes.text([0xFF]) == "\u{10FEFF}")
  }

  @Test("R7.2 -R shows all files in one call, with the token; one that is missing is named")
  func reveals() {
    let script = ScriptedService(.success([]))
    #expect(
      runOpen(
        ["-R", "bin", "no", "file:///usr/a%20b"], script,
        environment: ["XDG_ACTIVATION_TOKEN": "t"])
        == Ending(.noSuchFile, error: "lsopen: no: The file /usr/no does not exist.\n"))
    #expect(
      script.calls == [
        .init(
          member: "ShowItems",
          arguments: [.strings(["file:///usr/bin", "file:///usr/a%20b"]), .string("t")],
          milliseconds: 25_000)
      ])
  }

  @Test("R7.2 -R with -a alone shows the application")
  func revealsApplication() {
    let script = ScriptedService(Self.found("com.a"), Self.found("com.a"), .success([]))
    #expect(
      runOpen(["-Ra", "Photos", "--json"], script)
        == Ending(.success, #"{"url":"file:///apps/com.a.app"}"# + "\n"))
    #expect(
      script.calls.last?.arguments == [.strings(["file:///apps/com.a.app"]), .string("")])
  }

  @Test("-R where nobody shows files is status 4, and a URL is no file")
  func revealsNothing() {
    #expect(
      runOpen(["-R", "bin"], ScriptedService(.failure(Self.absence)))
        == Ending(
          .failed,
          error: "lsopen: no file manager is on the session bus (org.freedesktop.FileManager1): "
            + "nobody owns the name\n"))
    #expect(
      runOpen(["-R", "https://a"], ScriptedService()).standardError
        == "lsopen: option '--reveal' takes files, not the URL 'https://a'\n")
    #expect(runOpen(["-R", "https://a"], ScriptedService()).code == .usage)
  }

  @Test("--arch is understood and has no effect, and lsopen says so")
  func architecture() {
    #expect(
      runOpen(["--arch", "arm64", "x:1"], ScriptedService(.success([Self.receipt])))
        == Ending(
          .success,
          error: "lsopen: programs here have one architecture, so --arch arm64 has no effect\n"))
  }

  @Test("what the daemon says of its options is told as the options of the command")
  func terms() {
    let refusal = BusError.invalidArguments("option 'as': x y is not a bundle identifier")
    #expect(
      runOpen(["--as", "x y", "x:1"], ScriptedService(.failure(.refused(refusal)))).standardError
        == "lsopen: option '--as': x y is not a bundle identifier; 'lsregister list' shows the identifiers"
        + " of applications\n")
    #expect(
      "a remote may not use option 'stdin', option 'waits-for-exit'".inCommandTerms
        == "a remote may not use option '--stdin', option '--wait-apps'")
    #expect(
      "its option 'interactive' forbids 'as'".inCommandTerms
        == "its option '--no-ask' forbids 'as'")
    for name in ["bundle_id", "option 'bundle-identifier'"] {
      #expect("\(name): 'x y' is no identifier".inCommandTerms == "'x y' is no identifier")
    }
    #expect("option '--env' of 'x'".inCommandTerms == "option '--env' of 'x'")
  }

  @Test("--timeout is one limit for all attempts of one open")
  func oneDeadline() {
    let script = ScriptedService(
      .failure(.ended), .failure(.notRunning("")), .failure(.notRunning("")), .success([]))
    let screen = Screen()
    var now = Instant.now
    let command = OpenCommand(
      service: script.service, output: screen.output(of: "lsopen"), environment: { _ in nil },
      folder: "/usr", newRequestID: { "id" },
      pause: {
        script.pauses.append($0)
        now = now + .milliseconds($0)
      }, now: { now })
    #expect(command.run(["--timeout", "0.2", "x:1"]) == .failed)
    #expect(script.calls.map(\.milliseconds) == [200, 150, 50, 2000])
    #expect(script.pauses == [50, 100, 50])
    #expect(script.calls.last?.member == "CancelOpen")
  }

  @Test("--timeout is one limit for all opens of a command")
  func oneDeadlineForAll() {
    var now = Instant.now
    let script = ScriptedService(
      .success([.options([:])]), .failure(.timedOut), .success([.boolean(false)]))
    let screen = Screen()
    let command = OpenCommand(
      service: Service { message, milliseconds throws(ServiceFailure) in
        now = now + .milliseconds(150)
        return try script.service.call(message, milliseconds)
      }, output: screen.output(of: "lsopen"), environment: { _ in nil }, folder: "/usr",
      newRequestID: { "id" }, now: { now })
    #expect(command.run(["--timeout", "0.2", "x:1", "x:2", "x:3"]) == .failed)
    #expect(script.calls.map(\.milliseconds) == [200, 50, 2000])
    #expect(
      screen.standardError == """
        lsopen: x:2: cancelled, because the time given with --timeout is over
        lsopen: x:3: not opened, because the time given with --timeout is over

        """)
  }
}
