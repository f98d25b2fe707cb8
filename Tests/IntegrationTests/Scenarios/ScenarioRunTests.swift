import Foundation
import Glibc
import Host
import Testing

@testable import LaunchServicesTesting

/// `lstest` with scenarios in a temporary folder.
@MainActor @Suite("lstest", .timeLimit(.minutes(30)))
struct ScenarioRunTests {
  /// The result of a command.
  struct Result {
    var end: String
    var lines: [String]
    /// The lines of steps, without their durations.
    var steps: [String] {
      lines.filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
        .map { $0.replacing(#/ \([0-9.]+ s\)$/#, with: "") }
    }
    /// The lines with findings, without what explains a decision.
    var failures: [String] {
      lines.filter { $0.hasPrefix("     ") && !$0.contains("explain: ") && !$0.contains("| ") }
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
    /// The lines about one step that failed, without what explains the decision.
    func failure(of step: String) -> [String] {
      guard let start = lines.firstIndex(where: { $0.hasPrefix("  FAILED  \(step)") }) else {
        return []
      }
      return lines[(start + 1)...].prefix { $0.hasPrefix("     ") }
        .filter { !$0.contains("explain: ") }.map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  /// Starts `lstest` in a folder of its own with files; the folder is also that of its temporary files.
  static func start(
    _ arguments: [String], files: [String: String], in folder: String
  ) throws -> ObservedProcess {
    try write(files, to: folder)
    return try ObservedProcess(
      Launch(
        executable: try Programs.find("lstest"), arguments: arguments,
        environment: environment(in: folder), workingDirectory: folder))
  }

  static func write(_ files: [String: String], to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, text) in files {
      let file = URL(filePath: folder + "/" + name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
  }

  static func environment(in folder: String) -> [String: String] {
    let variables = ProcessInfo.processInfo.environment
    return ["PATH", "LD_LIBRARY_PATH", "LLVM_PROFILE_FILE"].reduce(
      into: ["HOME": folder, "TMPDIR": folder]
    ) { $0[$1] = variables[$1] }
  }

  static func withFolder<Output>(
    _ body: (String) async throws -> Output
  ) async throws -> Output {
    let folder = "/tmp/lstest-" + UUID().uuidString.prefix(8)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
  }

  /// Runs `lstest` to its end. No process may be left.
  static func run(_ arguments: [String], files: [String: String]) async throws -> Result {
    try await withFolder { folder in
      let process = try start(arguments, files: files, in: folder)
      let end = try await process.hasEnded()
      #expect(Leftovers(folder: folder, known: []).processes == [])
      #expect(WorldRemains.worlds(in: folder) == [])
      #expect(try WorldRemains.commands(naming: folder) == [])
      return Result(end: end, lines: process.lines)
    }
  }

  static func application(
    _ identifier: String, _ schemes: [String], _ more: String = ""
  ) -> String {
    """
    {"plist": {"CFBundleIdentifier": "\(identifier)", "CFBundleURLTypes": [{"CFBundleURLSchemes": \(schemes)}]}\(more)}
    """
  }

  private static let photos = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
      <key>CFBundleIdentifier</key><string>$(PRODUCT_BUNDLE_IDENTIFIER)</string>
      <key>CFBundleURLTypes</key><array><dict>
        <key>CFBundleURLSchemes</key><array><string>photos</string></array></dict></array>
      <key>com.apple.developer.associated-domains</key><array><string>applinks:example.com</string></array>
      <key>UIApplicationSceneManifest</key><dict/>
      <key>UIApplicationShortcutItems</key><array><dict>
        <key>UIApplicationShortcutItemType</key><string>new</string>
        <key>UIApplicationShortcutItemTitle</key><string>New</string></dict></array>
    </dict></plist>
    """

  @Test("every kind of step passes in one world") func passing() async throws {
    let result = try await Self.run(
      ["run", "tests"],
      files: [
        "ios/Info.plist": Self.photos,
        "tests/all.lstest.json": """
        {
          "applications": [
            {"plist": "../ios/Info.plist", "define": {"PRODUCT_BUNDLE_IDENTIFIER": "com.example.photos"},
             "team": "EXAMPLE123"},
            {"plist": {"CFBundleIdentifier": "com.example.mail",
              "LSApplicationQueriesSchemes": ["photos", "nobody"]}, "team": "EXAMPLE123"},
            \(Self.application("com.example.veto", ["veto"], #", "behaviour": "veto""#)),
            \(Self.application("com.example.crash", ["crash"], #", "behaviour": ["accept", "crash"]"#)),
            \(Self.application("com.example.hang", ["hang"], #", "behaviour": "hang""#)),
            \(Self.application("com.example.refuse", ["refuse"], #", "behaviour": "refuse""#))
          ],
          "settings": {"DeliveryTimeout": 1},
          "sites": {"example.com": {"applinks": {"details": [
            {"appIDs": ["EXAMPLE123.com.example.photos"], "components": [{"/": "/buy/*"}]}]}}},
          "steps": [
            {"open": "photos:1", "as": "com.example.mail", "expect": {"handler": "com.example.photos",
              "launch": "cold", "callback": "willConnectTo", "receives": "photos:1", "source": "com.example.mail"}},
            {"open": "photos:2", "expect": {"launch": "warm", "callback": "openURLContexts", "source": "none",
              "asks": false}},
            {"click": "photos:3", "expect": {"callback": "openURLContexts", "asks": true}},
            {"click": "photos:4", "answer": "deny", "expect": {"error": "ConfirmationDeclined", "asks": true}},
            {"click": "https://example.com/buy/1", "expect": {"callback": "continue", "link": true}},
            {"open": "https://example.com/other", "expect": "org.launchservices.system.Safari"},
            {"quick-action": "new", "of": "com.example.photos", "expect": {"callback": "performActionFor"}},
            {"kill": "com.example.photos"},
            {"click": "https://example.com/buy/2", "expect": {"callback": "willConnectTo", "link": true,
              "launch": "cold"}},
            {"can-open": "photos:1", "as": "com.example.mail", "expect": true},
            {"can-open": "nobody:1", "as": "com.example.mail", "expect": {"answer": false,
              "reason": "no application handles", "code": "no-application"}},
            {"can-open": "veto:1", "as": "com.example.mail", "expect": {"code": "not-listed"}},
            {"open": "veto:1", "expect": {"handler": "com.example.veto", "delivery": "vetoed", "callback": "none"}},
            {"open": "crash:1"},
            {"open": "crash:2", "expect": {"error": "HandlerExited"}},
            {"open": "hang:1", "expect": {"error": "HandlerTimedOut"}},
            {"open": "refuse:1", "expect": {"handled": false, "callback": "application:openURL"}},
            {"restart-daemon": true},
            {"open": "photos:9", "expect": {"launch": "warm", "callback": "openURLContexts"}},
            {"restart-daemon": "kill"},
            {"open": "photos:10", "expect": {"launch": "warm", "prints": "photos:10"}},
            {"launch": "com.example.mail", "expect": {"launch": "cold"}}
          ]
        }
        """,
      ])
    #expect(result.end == "exited with code 0", "\(result.lines.joined(separator: "\n"))")
    #expect(result.lines.last == "28 passed")
    #expect(result.lines.first == "all")
  }

  @Test("each difference is named, with the line of its step") func failing() async throws {
    let result = try await Self.run(
      ["run", "a.lstest.json"],
      files: [
        "a.lstest.json": """
        {"applications": [\(Self.application("com.example.a", ["a"])),
          \(Self.application("com.example.veto", ["veto"], #", "behaviour": "veto""#)),
          \(Self.application("com.example.refuse", ["refuse"], #", "behaviour": "refuse""#))],
        "steps": [
        {"open": "a:1", "expect": {"handler": "com.example.b", "launch": "warm", "callback": "openURLContexts",
          "receives": "a:2", "source": "com.example.c", "link": true, "asks": true, "handled": false,
          "delivery": "unacknowledged"}},
        {"open": "none:1", "expect": "com.example.a"},
        {"open": "a:1", "expect": {"error": "ApplicationNotFound"}},
        {"open": "none:1", "expect": {"error": "InvalidURL", "reason": "good"}},
        {"can-open": "a:1", "as": "com.example.a"},
        {"can-open": "a:1", "as": "com.example.a", "expect": {"answer": false, "reason": "sun",
          "code": "no-application"}},
        {"open": "veto:1"},
        {"open": "refuse:1"},
        {"kill": "com.example.nobody"}
        ]}
        """
      ])
    #expect(result.end == "exited with code 1")
    #expect(result.lines.last == "3 passed, 9 failed")
    #expect(
      result.failure(of: "open a:1") == [
        "a.lstest.json:5: expected the application com.example.b, got com.example.a; expected a launch that is warm,"
          + " got cold; expected the delivery unacknowledged, got delivered; expected handled to be no, got yes;"
          + " expected the callback openURLContexts, got application:openURL; expected a:2 to arrive, got a:1; it did"
          + " not arrive as a universal link; expected the source application com.example.c, got none; the user was"
          + " not asked",
        "| com.example.a didFinishLaunching a:1", "| com.example.a application:openURL a:1",
      ])
    #expect(
      result.failure(of: "open none:1").first?.hasPrefix(
        "a.lstest.json:8: expected com.example.a to get it, but nobody got it: ApplicationNotFound: "
      ) == true)
    #expect(
      result.failure(of: "open a:1 (2)").first
        == "a.lstest.json:9: expected the error ApplicationNotFound, but com.example.a got it")
    let refused = result.failure(of: "open none:1 (2)").first ?? ""
    #expect(refused.contains("expected the error InvalidURL, got ApplicationNotFound: "))
    #expect(refused.contains("expected the reason 'good', got "))
    #expect(
      result.failure(of: "can-open a:1 as com.example.a") == [
        "a.lstest.json:11: expected yes, got no: the caller may not ask; com.example.a does not list the scheme; add"
          + " it to LSApplicationQueriesSchemes"
      ])
    #expect(
      result.failure(of: "can-open a:1 as com.example.a (2)").first?.contains(
        "expected the reason 'sun', got 'no: the caller may not ask") == true)
    #expect(
      result.failure(of: "can-open a:1 as com.example.a (2)").first?.contains(
        "expected the code no-application, got not-listed: no: the caller may not ask") == true)
    #expect(
      result.failure(of: "open veto:1").first
        == "a.lstest.json:14: a launch method of com.example.veto returned false, so nothing was delivered"
    )
    #expect(
      result.failure(of: "open refuse:1").first
        == "a.lstest.json:15: com.example.refuse got it, and said that it did not handle it")
    #expect(
      result.failure(of: "kill com.example.nobody") == [
        "a.lstest.json:16: com.example.nobody does not run"
      ])
  }

  @Test("a scenario that needs a value says which, with status 65") func needs() async throws {
    let files = [
      "Info.plist": Self.photos,
      "a.lstest.json": """
      {"applications": [
        {"plist": "Info.plist", "define": {"PRODUCT_BUNDLE_IDENTIFIER": null}}],
       "steps": [{"open": "photos:1"}]}
      """,
      "b.lstest.json": #"{"applications": ["Info.plist"], "steps": [{"open": "photos:1"}]}"#,
    ]
    let needs = try await Self.run(["run", "a.lstest.json"], files: files)
    #expect(needs.end == "exited with code 65")
    #expect(
      needs.lines.contains {
        $0.hasSuffix(
          "a.lstest.json:2: applications[0]: needs a value of the build variable PRODUCT_BUNDLE_IDENTIFIER: write it"
            + " in the scenario, or add --define PRODUCT_BUNDLE_IDENTIFIER=VALUE")
      }, "\(needs.lines)")
    #expect(needs.steps.last == "  skipped open photos:1: an earlier step ended the scenario")
    let unsaid = try await Self.run(["run", "b.lstest.json"], files: files)
    #expect(unsaid.end == "exited with code 65")
    #expect(
      unsaid.lines.contains { $0.contains("Info.plist:3: applications[0]: CFBundleIdentifier") },
      "\(unsaid.lines)")
    let given = try await Self.run(
      ["run", ".", "--define", "PRODUCT_BUNDLE_IDENTIFIER=com.example.photos"], files: files)
    #expect(given.end == "exited with code 0", "\(given.lines)")
  }

  @Test("wrong files and wrong command lines have their own status") func wrong() async throws {
    let files = ["a.lstest.json": "{\"steps\": [{\"opn\": 1}]}", "empty/x": ""]
    let invalid = try await Self.run(["check", "a.lstest.json"], files: files)
    #expect(invalid.end == "exited with code 65")
    #expect(
      invalid.lines.contains { $0.contains("a.lstest.json:1: steps[0].opn: is not a key here") })
    #expect(try await Self.run(["run"], files: files).end == "exited with code 64")
    let empty = try await Self.run(["run", "empty"], files: files)
    #expect(empty.end == "exited with code 4")
    #expect(empty.lines.first?.contains("has no scenario") == true)
    #expect(
      try await Self.run(["run", "*.nothing"], files: files).lines.first?.hasSuffix(
        "*.nothing does not exist.") == true)
  }

  @Test("a scenario with nothing to do is an error", arguments: ["run", "check"])
  func empty(verb: String) async throws {
    let result = try await Self.run(
      [verb, "."], files: ["a.lstest.json": "{}", "b.lstest.json": #"{"sites": {}, "steps": []}"#])
    #expect(result.end == "exited with code 65")
    let sentence = "has no steps and no applications, so nothing would be tested"
    #expect(result.lines.filter { $0.contains(": " + sentence) }.count == 2, "\(result.lines)")
  }

  @Test("results that cannot be written are an error with the path and the reason")
  func unwritable() async throws {
    let files = ["a.lstest.json": "{}"]
    let run = try await Self.run(["run", ".", "-o", "/nonexistent/x.xml"], files: files)
    #expect(run.end == "exited with code 4")
    #expect(
      run.lines == [
        "lstest: The file /nonexistent/x.xml cannot be written: No such file or directory (error 2)"
      ])
    let draft = try await Self.run(
      ["init", "Info.plist", "-o", "/nonexistent/x.lstest.json"],
      files: ["Info.plist": Self.photos])
    #expect(
      draft.lines.last
        == "lstest: The file /nonexistent/x.lstest.json cannot be written: No such file or directory (error 2)"
    )
  }

  @Test("a site file that is not JSON is an error with its line and column") func site()
    async throws
  {
    let result = try await Self.run(
      ["run", "."],
      files: [
        "site.json": "{\"applinks\":\n  {\"details\": [}\n}",
        "a.lstest.json": """
        {"applications": [\(Self.application("com.example.a", ["a"]))],
         "sites": {"example.com": "site.json"}}
        """,
      ])
    #expect(result.end == "exited with code 65")
    #expect(
      result.lines.contains {
        $0.hasSuffix(
          "site.json:2:16: sites.example.com: it cannot be read as JSON at line 2, column 16: unexpected \"}\"; the file"
            + " is refused: correct it"
        )
      }, "\(result.lines)")
  }

  @Test("what a program prints is among the details of the step that fails")
  func outputOfProgram() async throws {
    let program = #", "program": ["/bin/sh", "-c", "echo no library >&2; exit 3"]"#
    let result = try await Self.run(
      ["run", "."],
      files: [
        "a.lstest.json": """
        {"applications": [\(Self.application("com.example.a", ["a"], program))], "steps": [{"open": "a:1"}]}
        """
      ])
    #expect(result.end == "exited with code 1", "\(result.lines)")
    #expect(result.lines.contains { $0.hasSuffix("printed: no library") }, "\(result.lines)")
    #expect(!result.lines.contains { $0.contains("printed: launchservicesd") }, "\(result.lines)")
  }

  @Test("a program of the scenario gets the URL, and its output is compared") func program()
    async throws
  {
    let program = #", "program": ["/usr/bin/python3", "-c", "print('a program of its own')"]"#
    let result = try await Self.run(
      ["run", "*.lstest.json"],
      files: [
        "a.lstest.json": """
        {"applications": [\(Self.application("com.example.a", ["a"], program))],
        "steps": [{"open": "a:1", "expect": {"error": "HandlerExited", "prints": "a program of its own"}},
          {"open": "a:1", "expect": {"error": "HandlerExited", "prints": "nothing like this"}}]}
        """
      ])
    #expect(result.end == "exited with code 1", "\(result.lines)")
    #expect(
      result.failure(of: "open a:1 (2)") == [
        "a.lstest.json:3: no line with 'nothing like this' was printed within 5.0 seconds",
        "printed: a program of its own",
      ])
    #expect(result.lines.last == "2 passed, 1 failed")
  }

  @Test(
    "a claim on a scheme of a system application loses, with a bus and without",
    arguments: [[], ["--no-bus"]])
  func systemApplications(options: [String]) async throws {
    let queries = #""LSApplicationQueriesSchemes": ["tel", "mailto"]"#
    let result = try await Self.run(
      ["run"] + options + ["a.lstest.json"],
      files: [
        "a.lstest.json": """
        {"applications": [{"plist": {"CFBundleIdentifier": "com.example.dialler", \(queries),
          "CFBundleURLTypes": [{"CFBundleURLSchemes": ["tel", "dialler"]}]}}],
        "steps": [
          {"open": "tel:+15550100", "expect": {"handler": "org.launchservices.system.Phone", "launch": "cold",
            "callback": "application:openURL", "receives": "tel:+15550100"}},
          {"open": "dialler:1", "expect": "com.example.dialler"},
          {"can-open": "mailto:a@example.com", "as": "com.example.dialler", "expect": true},
          {"open": "tel:+15550101", "expect": "com.example.dialler"}
        ]}
        """
      ])
    #expect(result.end == "exited with code 1", "\(result.lines.joined(separator: "\n"))")
    #expect(result.lines.last == "4 passed, 1 failed")
    #expect(
      result.failure(of: "open tel:+15550101").first
        == "a.lstest.json:8: expected the application com.example.dialler, got org.launchservices.system.Phone"
    )
  }

  @Test(
    "documents have the types that Apple declares, with a bus and without",
    arguments: [[], ["--no-bus"]])
  func documents(options: [String]) async throws {
    let result = try await Self.run(
      ["run"] + options + ["a.lstest.json"],
      files: [
        "main.swift": "print(1)",
        "a.lstest.json": """
        {"applications": [{"plist": {"CFBundleIdentifier": "com.example.editor",
          "CFBundleDocumentTypes": [{"CFBundleTypeRole": "Editor",
            "LSItemContentTypes": ["public.swift-source"]}]}, "platform": "macos"}],
        "steps": [{"open-documents": ["main.swift"], "expect": "com.example.editor"}]}
        """,
      ])
    #expect(result.end == "exited with code 0", "\(result.lines.joined(separator: "\n"))")
  }

  @Test("the formats are those that their readers read") func formats() async throws {
    let files = [
      "a.lstest.json": """
      {"applications": [\(Self.application("com.example.a", ["a"]))],
       "steps": [
        {"open": "a:<&\\">?x=%25#1"},
        {"open": "a:2", "expect": "com.example.b"}]}
      """
    ]
    let xml = try await Self.run(
      ["run", ".", "--format", "junit", "--output", "/dev/stderr"], files: files)
    #expect(xml.lines.contains("1 passed, 2 failed"), "\(xml.lines)")
    let github = try await Self.run(["run", ".", "--format", "github"], files: files)
    let marks = github.lines.filter { $0.hasPrefix("::") }
    #expect(marks.count == 4, "\(github.lines)")
    #expect(
      marks.last?.hasPrefix(
        "::error file=a.lstest.json,line=4,title=open a%3A2::expected the application com.example.b, got"
          + " com.example.a%0Aexplain: url: ") == true, "\(marks)")
    let tap = try await Self.run(["run", ".", "-f", "tap"], files: files)
    #expect(
      tap.lines.prefix(3) == ["TAP version 14", "1..3", "ok 1 - a: application com.example.a"])
    #expect(tap.lines.contains("not ok 3 - a: open a:2"))
  }

  @Test("a shell has the world, and its status is that of the command") func shell() async throws {
    let files = [
      "a.lstest.json": "{\"applications\": [\(Self.application("com.example.a", ["a"]))]}"
    ]
    let result = try await Self.run(
      ["shell", "a.lstest.json", "--", "sh", "-c", "lsregister list && lsopen a:1; exit 7"],
      files: files)
    #expect(result.end == "exited with code 7", "\(result.lines)")
    #expect(result.lines.contains { $0.hasPrefix("com.example.a ") && $0.contains("not running") })
    #expect(result.lines.contains("com.example.a application:openURL a:1"))
  }

  @Test("init writes a scenario that passes, or says what it needs") func initialise() async throws
  {
    let files = [
      "ios/App/Info.plist": Self.photos, "ios/Tests/Info.plist": "<plist><dict/></plist>",
    ]
    let needed = try await Self.run(["init", "ios"], files: files)
    #expect(needed.end == "exited with code 0")
    #expect(
      needed.lines.contains {
        $0.contains("needs a value of the build variable PRODUCT_BUNDLE_IDENTIFIER")
      })
    #expect(needed.lines.contains { $0.contains(#""PRODUCT_BUNDLE_IDENTIFIER" : null"#) })
    let shell = """
      lstest init ios --define PRODUCT_BUNDLE_IDENTIFIER=com.example.photos --output photos.lstest.json \
      && lstest run photos.lstest.json
      """
    let run = try await Self.run(["shell", "--", "sh", "-c", shell], files: files)
    #expect(run.end == "exited with code 0", "\(run.lines)")
    #expect(
      run.steps == [
        "  ok      application com.example.photos", "  ok      open photos://test",
        "  ok      click https://example.com/test",
        "  ok      quick-action new of com.example.photos",
      ])
  }

  @Test("the team, the SDK and the platform are given with options, to run and to init")
  func givenBuild() async throws {
    let list = """
      <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.shop</string>
      <key>com.apple.developer.associated-domains</key><array><string>applinks:example.com</string></array>
      </dict></plist>
      """
    let scenario = """
      {"applications": [{"plist": "Info.plist", "team": "OTHER12345"}],
       "sites": {"example.com": {"applinks": {"details": [
         {"appIDs": ["TEAM123456.com.example.shop"], "components": [{"/": "*"}]}]}}},
       "steps": [{"click": "https://example.com/1", "expect": "com.example.shop"}]}
      """
    let files = ["Info.plist": list, "a.lstest.json": scenario]
    #expect(try await Self.run(["run", "."], files: files).end == "exited with code 1")
    let given = try await Self.run(["run", ".", "--team", "TEAM123456"], files: files)
    #expect(given.end == "exited with code 0", "\(given.lines)")
    let draft = try await Self.run(
      ["init", "Info.plist", "--team", "TEAM123456", "--sdk", "iphoneos18.0", "--platform", "ios"],
      files: files)
    for line in [
      #""team" : "TEAM123456""#, #""sdk" : "iphoneos18.0""#, #""platform" : "ios""#,
      #""TEAM123456.com.example.shop""#,
    ] {
      #expect(draft.lines.contains { $0.contains(line) }, "\(draft.lines)")
    }
  }

  @Test("init says that a scheme is reserved, and its steps pass") func reserved() async throws {
    let list = """
      <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.dialler</string>
      <key>LSApplicationQueriesSchemes</key><array><string>tel</string><string>sms</string></array>
      <key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key>
      <array><string>tel</string><string>dialler</string></array></dict></array></dict></plist>
      """
    let shell = "lstest init Info.plist --output a.lstest.json && lstest run a.lstest.json"
    let run = try await Self.run(
      ["shell", "--", "sh", "-c", shell], files: ["Info.plist": list])
    #expect(run.end == "exited with code 0", "\(run.lines)")
    #expect(
      run.lines.contains {
        $0.hasSuffix(
          "the scheme tel is reserved for org.launchservices.system.Phone, so com.example.dialler does not get its URLs"
        )
      })
    #expect(
      run.steps == [
        "  ok      application com.example.dialler", "  ok      open tel:+15550100",
        "  ok      open dialler://test", "  ok      can-open tel:+15550100 as com.example.dialler",
        "  ok      can-open sms:+15550100 as com.example.dialler",
      ])
  }
}
