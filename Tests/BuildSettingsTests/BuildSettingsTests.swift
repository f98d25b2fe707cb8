import BuildSettings
import LaunchRules
import Testing

@Suite struct BuildSettingsTests {
  private func settings(_ layers: [String]) throws -> BuildSettings {
    var settings = BuildSettings(simulator())
    for layer in layers {
      settings.add(try XCConfig("/x", files(["/x": layer])).assignments)
    }
    return settings
  }

  @Test("$(inherited) is the value of the next weaker assignment, also of the same file")
  func inherited() throws {
    let settings = try settings([
      "A = 1\nA = $(inherited) 2", "A = ${inherited} 3\nB = $(inherited)x",
    ])
    #expect(settings["A"]?.value == "1 2 3")
    #expect(settings["B"]?.value == "x")
  }

  @Test("a reference of a setting to itself is the weaker value")
  func itself() throws {
    #expect(try settings(["A = 1", "A = $(A).2"]).value("A") == "1.2")
  }

  @Test("an option whose value refers to itself is reported when there is no weaker value")
  func circularOption() throws {
    func problems(_ weaker: String) throws -> [String] {
      var settings = try settings([weaker])
      settings.add([SettingAssignment("A", "/bin/$(A)", source: SettingSource("--define"))])
      return settings.problems.map(\.description)
    }
    #expect(
      try problems("B = 1") == [
        "--define: the value of A contains $(A), and A has no other value, so nothing takes the place of $(A)"
      ])
    #expect(try problems("A = 1") == [])
  }

  @Test(
    "a condition is compared with the build for the simulator",
    arguments: [
      ("sdk=iphonesimulator*", true), ("sdk=iphone*", true), ("sdk=iphoneos*", false),
      ("sdk=*", true), ("sdk=iphonesimulator", false), ("sdk=*18.0", true), ("sdk=i*o*0", true),
      ("config=Debug", true), ("config=Release", false), ("arch=arm64", true),
      ("arch=x86_64", false), ("variant=normal", true), ("platform=x", false),
      ("sdk=iphonesimulator*,config=Release", false),
    ])
  func conditions(condition: String, holds: Bool) throws {
    let settings = try settings(["A = 0\nA[\(condition)] = 1"])
    #expect(settings["A"]?.value == (holds ? "1" : "0"))
    #expect(settings["A"]?.source == SettingSource("/x", line: holds ? 2 : 1))
  }

  @Test(
    "a value knows where it comes from, and the used values are those of the text and their own")
  func used() throws {
    let settings = try settings([
      "BASE = com.example\nFLAVOR = B\nID_B = $(BASE).b\nOTHER = 1\nDEVELOPMENT_TEAM = T1"
    ])
    #expect(
      settings.used(in: ["<string>$(ID_$(FLAVOR))</string>"]).map { "\($0.name) \($0.source)" } == [
        "BASE /x:1", "DEVELOPMENT_TEAM /x:5", "FLAVOR /x:2", "ID_B /x:3",
      ])
  }
}

@Suite struct BuildRequestTests {
  @Test("--define is stronger than --team, and that is stronger than a file")
  func order() throws {
    var request = BuildRequest(definitions: ["C": "defined"])
    request.configFiles = ["/1", "/2"]
    request.team = "TEAM1"
    let settings = try request.settings(
      files(["/1": "A = 1\nB = 1\nC = 1", "/2": "B = 2\nDEVELOPMENT_TEAM = X"]))
    #expect(settings.value("A") == "1")
    #expect(settings.value("B") == "2")
    #expect(settings["C"]?.source == SettingSource("--define"))
    #expect(settings["DEVELOPMENT_TEAM"]?.value == "TEAM1")
  }

  @Test(
    "--sdk and --platform give the SDK of conditions, and the variables that Xcode sets",
    arguments: [
      ("iphoneos18.0", nil, "iphonesimulator18.0", "iphoneos18.0"),
      ("26.0", .macOS, "macosx26.0", "macosx26.0"), ("17", nil, "iphonesimulator", "17"),
      ("macosx15.1", nil, "macosx15.1", "macosx15.1"),
    ] as [(String, Platform?, String, String)])
  func sdk(sdk: String, platform: Platform?, condition: String, name: String) throws {
    var request = BuildRequest()
    let wanted: SDKName = try #require(SDKName(sdk))
    request.sdk = wanted
    request.platform = platform
    let settings = try request.settings(files([:]))
    #expect(settings.build.sdk == condition)
    #expect(settings.value("SDK_NAME") == name)
  }

  @Test(
    "other texts are no SDK",
    arguments: ["", "iphoneos", "linux5.0", "18.", "1.2.3.4", "x", "18.0b"])
  func noSDK(text: String) { #expect(SDKName(text) == nil) }
}
