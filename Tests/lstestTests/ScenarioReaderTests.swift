import Reports
import StubApplications
import Testing

@testable import lstest

/// The scenario of a text; its problems as `LINE: MESSAGE`.
private func read(
  _ text: String, define: [String: String] = [:]
) throws(ScenarioProblems) -> Scenario {
  try ScenarioReader(definitions: define, folder: "/project")
    .read(Array(text.utf8), at: "/project/tests/photos.lstest.json")
}

private func problems(_ text: String) -> [String] {
  do throws(ScenarioProblems) {
    _ = try read(text)
    return []
  } catch {
    return error.list.map { "\($0.place.line.map(String.init) ?? "-"): \($0.message)" }
  }
}

struct ScenarioReaderTests {
  @Test func aWholeScenario() throws {
    let scenario = try read(
      """
      {
        "define": {"A": "1", "B": "2"},
        "applications": [
          "../ios/Info.plist",
          {"plist": {"CFBundleIdentifier": "a.b"}, "define": {"B": 3, "C": null},
           "team": "TEAM", "platform": "macos", "behaviour": ["accept", "crash"]}
        ],
        "sites": {"example.com": "aasa.json"},
        "settings": {"LaunchTimeout": 5},
        "steps": [
          {"open": "x:1", "as": "a.b", "with": "c.d", "expect": "a.b"},
          {"open": "x:1", "as": "a.b", "with": "c.d", "answer": "deny"},
          {"can-open": "x:1", "expect": false},
          {"quick-action": "new", "of": "a.b", "expect": {"callback": "none", "delivery": "vetoed"}},
          {"restart-daemon": "kill"}, {"kill": "a.b"}, {"launch": "a.b", "name": "again"}
        ]
      }
      """, define: ["A": "0"])
    #expect(scenario.name == "photos")
    #expect(scenario.file == "tests/photos.lstest.json")
    guard case .file("/project/ios/Info.plist") = scenario.applications[0].propertyList else {
      Issue.record("\(scenario.applications[0])")
      return
    }
    // The command line counts first, then the application, then the scenario.
    #expect(scenario.applications[0].definitions == ["A": "0", "B": "2"])
    #expect(
      scenario.applications[1].definitions == ["A": "0", "B": "3", "DEVELOPMENT_TEAM": "TEAM"])
    #expect(scenario.applications[1].needed.map(\.name) == ["C"])
    #expect(scenario.applications[1].needed.map(\.place.line) == [5])
    #expect(scenario.applications[1].behaviour?.word == "accept,crash")
    #expect(scenario.settings == ["LaunchTimeout": .integer(5)])
    #expect(
      scenario.steps.map(\.action) == [
        .open("x:1", opener: "a.b", handler: "c.d"), .open("x:1", opener: "a.b", handler: "c.d"),
        .canOpen("x:1", opener: nil), .quickAction("new", application: "a.b"),
        .restartDaemon(kills: true), .kill("a.b"), .launch("a.b"),
      ])
    #expect(
      scenario.steps.map(\.name) == [
        "open x:1 as a.b with c.d", "open x:1 as a.b with c.d (2)", "can-open x:1",
        "quick-action new of a.b", "kill and restart the daemon", "kill a.b", "again",
      ])
    #expect(scenario.steps[1].allows == false)
    #expect(scenario.steps[2].expectation == Expectation(answer: false))
    #expect(scenario.steps[3].place.line == 14)
  }

  @Test func aPropertyListIsAScenarioToo() throws {
    let scenario = try read(
      """
      <?xml version="1.0"?><plist version="1.0"><dict>
      <key>steps</key><array><dict><key>open</key><string>x:1</string></dict></array>
      </dict></plist>
      """)
    #expect(scenario.steps.map(\.name) == ["open x:1"])
    #expect(scenario.steps[0].place.line == 2)
  }

  @Test func everyProblemIsReportedWithItsLineAndKey() {
    #expect(
      problems(
        """
        {
          "aplications": [],
          "applications": [
            {"team": "T"},
            {"plist": "a", "target": "x", "behaviour": "explode", "platform": "tvos"},
            {"plist": "a", "program": "b", "behaviour": "hang"}
          ],
          "sites": {"not a host": "a", "example.com": 7},
          "steps": [
            {"open": 7},
            {"open": "x:1", "click": "x:1"},
            {"name": "nothing"},
            {"open": "x:1", "of": "a.b"},
            {"quick-action": "x"},
            {"open": "x:1", "expect": {"launch": "hot", "callback": "x", "answer": true}},
            {"kill": "a", "expect": "b"},
            {"open": "x:1", "expect": {"error": "NotPermitted", "handler": "a.b"}},
            {"can-open": "x:1", "expect": {"reason": ""}},
            {"restart-daemon": false},
            {"can-open": "x:1", "expect": {"answer": true, "code": "not-listed"}},
            {"open": "x:1", "expect": {"code": "not-listed"}},
            {"can-open": "x:1", "expect": {"code": "unlisted"}},
            {"open": "x:1", "expect": {"error": "NotPermitted", "receives": "x:1"}},
            {"open": "x:1", "expect": {"error": "NotPermitted", "link": true}},
            {"open": "x:1", "expect": {"error": "NotPermitted", "source": "a.b"}}
          ]
        }
        """) == [
          "2: aplications: is not a key here; the keys are name, applications, sites, settings, steps, define",
          "4: applications[0]: has no plist: name the property list of the application, or write it here, or name"
            + " a project with xcode",
          "5: applications[1].platform: 'tvos' is not a value here; the values are ios, macos",
          "5: applications[1].target: belongs to xcode, which is missing",
          "5: applications[1].behaviour: 'explode' is not a behaviour; the behaviours are veto, hang-at-launch,"
            + " crash-at-launch, accept, refuse, hang, crash",
          "6: applications[2].behaviour: belongs to a stub, but the application has a program",
          "8: sites.example.com: is a number, but must be the path of a file, or its contents",
          "8: sites.not a host: 'not a host' is not a host; write its name alone, such as example.com",
          "10: steps[0].open: is a number, but must be text",
          "11: steps[1]: has 2 actions, open and click; write one step for each",
          "12: steps[2]: has no action; write one of open, click, open-documents, can-open, quick-action, launch,"
            + " kill, restart-daemon",
          "13: steps[3].of: does not belong to open",
          "14: steps[4].quick-action: needs the application: write its identifier under the key of",
          "15: steps[5].expect.answer: is no result of open",
          "15: steps[5].expect.launch: 'hot' is not a value here; the values are cold, warm",
          "15: steps[5].expect.callback: 'x' is not a callback; the callbacks are didFinishLaunching, willConnectTo,"
            + " openURLContexts, application:openURL, application:openURLs, continue, performActionFor, reopen, and none",
          "16: steps[6].expect: is no result of kill",
          "17: steps[7].expect.handler: is a result of success, but the step expects an error",
          "18: steps[8].expect.reason: is empty",
          "19: steps[9].restart-daemon: must be true, or kill to end the daemon like a crash",
          "20: steps[10].expect.code: is a reason for no, but the step expects yes",
          "21: steps[11].expect.code: is no result of open",
          "22: steps[12].expect.code: 'unlisted' is not a value here; the values are invalid-url, not-listed,"
            + " beyond-limit, not-registered, unidentified, quota-exceeded, not-permitted, no-application",
          "23: steps[13].expect.receives: is a result of success, but the step expects an error",
          "24: steps[14].expect.link: is a result of success, but the step expects an error",
          "25: steps[15].expect.source: is a result of success, but the step expects an error",
        ])
  }

  @Test func whatWouldNeverFitIsAProblem() throws {
    #expect(
      problems(
        """
        {
          "applications": [{"plist": "a", "sdk": "ios18"}, {"plist": "a", "sdk": "iphoneos"}],
          "steps": [
            {"open-documents": []},
            {"open": "x:1", "expect": {"error": "ApplicationNotFond"}},
            {"open": "x:1", "expect": {"error": "org.launchservices.Error.Sun"}}
          ]
        }
        """
      ).map { String($0.prefix(90)) }
        == [
          "2: applications[0].sdk: must be an SDK such as iphoneos26.0 or 26.0, not 'ios18'",
          "2: applications[1].sdk: must be an SDK such as iphoneos26.0 or 26.0, not 'iphoneos'",
          "4: steps[0].open-documents: is empty; name at least one document",
          "5: steps[1].expect.error: 'ApplicationNotFond' is not an error; did you mean ApplicationNo",
          "6: steps[2].expect.error: 'org.launchservices.Error.Sun' is not an error; the errors are I",
        ].map { String($0.prefix(90)) })
    let allowed = try read(
      """
      {"applications": [{"plist": "a", "sdk": "26.0", "platform": "ios"}, {"plist": "a", "sdk": "iphoneos18.0"}],
       "steps": [{"open": "x:1", "expect": {"error": "org.launchservices.Error.NotPermitted"}},
        {"open": "x:1", "expect": {"error": "org.freedesktop.DBus.Error.InvalidArgs"}}]}
      """)
    #expect(
      allowed.applications.map { $0.addedKeys["DTSDKName"] }
        == [.string("iphoneos26.0"), .string("iphoneos18.0")])
  }

  @Test func aVariableOfAStepNeedsAValue() throws {
    #expect(
      problems(
        """
        {"steps": [
          {"open": "$(TYPO)",
           "expect": {"receives": ["x:${OTHER}"]}}
        ]}
        """) == [
          "3: steps[0].expect.receives[0]: needs a value of the build variable OTHER: write it in define of the"
            + " scenario, or add --define OTHER=VALUE; values of xcconfig and xcode do not count in steps",
          "2: steps[0].open: needs a value of the build variable TYPO: write it in define of the scenario, or add"
            + " --define TYPO=VALUE; values of xcconfig and xcode do not count in steps",
        ])
    // The application asks for the value of this one.
    #expect(
      problems(
        #"{"define": {"ID": null}, "applications": ["a"], "steps": [{"launch": "$(ID)"}]}"#) == [])
  }

  @Test func settingsThatTheDaemonWouldIgnoreAreProblems() throws {
    #expect(
      problems(
        """
        {"settings": {
          "LaunchTimeot": 3,
          "DeliveryTimeout": "20",
          "MaximumURLLength": 2.5,
          "Confirmations": {
            "tel-web": 3,
            "xyz": true
          },
          "Browsers": null,
          "Launcher": "systemd",
          "FetchAssociations": true
        }}
        """) == [
          "3: settings.DeliveryTimeout: the string \"20\" is not allowed (whole number of seconds, 1 to 1000000000)",
          "4: settings.MaximumURLLength: 2.5 is not allowed (whole number of bytes, 1 to 1000000000)",
          "6: settings.Confirmations.tel-web: 3 is not allowed (true or false)",
          "7: settings.Confirmations.xyz: is not a setting; see man launch-services.plist",
          "9: settings.Browsers: null is not allowed (array of strings)",
          "2: settings.LaunchTimeot: is not a setting; did you mean LaunchTimeout?",
          "11: settings.FetchAssociations: has no effect, because it is always false in a scenario",
          "10: settings.Launcher: has no effect, because it is always spawn in a scenario",
        ])
    #expect(problems("{\"settings\": 7}") == ["1: settings: is a number, but must be a dictionary"])
    let allowed =
      #"{"settings": {"LaunchTimeout": 30.0, "Launcher": "spawn", "FetchAssociations": false}}"#
    #expect(try read(allowed).settings.count == 3)
  }

  @Test(arguments: [
    (
      "{\n\"steps\": [\n{\"open\": \"x:1\",}]}\n",
      "3: is not valid JSON: string or '}' expected near '}'"
    ),
    (
      "{\n\"steps\": [\n{\"open\": \"x:1\"}\n{\"open\": \"x:2\"}]}",
      "4: is not valid JSON: ']' expected near '{'"
    ),
    (
      "{\n\"steps\": [\n{\"open\": \"x:1\"},\n",
      "4: is not valid JSON: ']' expected near end of file"
    ),
    ("{\n\"name\": \"a\tb\"}", "2: is not valid JSON: control character 0x9 near '\"a'"),
    ("{\n\n\"name\": nope}", "3: is not valid JSON: invalid token near 'nope'"),
    ("{\n\"name\": 01}", "2: is not valid JSON: invalid token near '0'"),
    ("{\n}\nmore", "3: is not valid JSON: end of file expected near 'more'"),
    (
      "{\"name\": \"a\",\n\"name\": \"b\"}",
      "2: is not valid JSON: duplicate object key near '\"name\"'"
    ),
  ]) func wrongJSONIsRefusedWithItsLine(_ text: String, _ problem: String) {
    #expect(problems(text) == [problem])
  }

  @Test(arguments: [
    ("</dict></plist>", "5", "Value missing for key inside <dict>"),
    ("<strng>b</strng></dict></plist>", "5", "Encountered unknown tag strng"),
    ("<string>b\n</dict></plist>", "6", "Close tag does not match open tag string"),
    (
      "<string>b &bcd; c</string></dict></plist>", "5",
      "Encountered unknown ampersand-escape sequence"
    ),
  ]) func aWrongPropertyListIsRefusedWithItsLine(_ end: String, _ line: String, _ words: String) {
    let start = "<?xml version=\"1.0\"?>\n<plist version=\"1.0\">\n<dict>\n<key>a</key>\n"
    #expect(
      problems(start + end + "\n\n") == [
        "\(line): is not a valid property list: the XML is not a property list (the decoder says: \(words)): correct it"
      ])
  }

  @Test func otherTextsAreRefusedWithAReason() {
    let preprocessed = problems(
      "<plist><dict>\n#ifdef A\n<key>a</key><true/>\n#endif\n</dict></plist>")
    #expect(
      preprocessed == [
        "2: is not a valid property list: the file contains lines for the C preprocessor, such as #if:"
          + " register the Info.plist that the build makes of it"
      ])
    #expect(
      problems("<plist><dict>\n<key>a</key>\n\n") == [
        "2: is not a valid property list: the XML ends too early: copy it again: it was probably cut short"
      ])
    #expect(problems("hello") == ["-: the file is neither an XML nor a binary property list"])
    #expect(problems("[]") == ["1: is an array, but must be a dictionary"])
  }
}
