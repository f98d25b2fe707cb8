import Foundation
import Host
import LaunchRules
import Testing

@testable import DaemonSettings
@testable import LaunchServicesDaemon
@testable import launchservicesd

@Suite("Settings") struct SettingsTests {
  static func file(_ xml: String) -> SettingsFile {
    SettingsFile(bytes: Array("<plist version=\"1.0\"><dict>\(xml)</dict></plist>".utf8))
  }

  static func messages(_ xml: String) -> [String] { file(xml).problems.map(\.message) }

  struct Good: Sendable, CustomTestStringConvertible {
    let xml: String
    let change: @Sendable (inout Settings) -> Void
    var testDescription: String { xml }

    init(_ key: String, _ value: String, _ change: @escaping @Sendable (inout Settings) -> Void) {
      xml = "<key>\(key)</key>\(value)"
      self.change = change
    }
  }

  static let goodValues: [Good] = [
    Good("LaunchTimeout", "<integer>1</integer>") { $0.launch.timeout = 1 },
    Good("LaunchTimeout", "<integer>1000000000</integer>") { $0.launch.timeout = 1_000_000_000 },
    Good("LaunchTimeout", "<real>30.0</real>") { $0.launch.timeout = 30 },
    Good("DeliveryTimeout", "<integer>7</integer>") { $0.delivery.timeout = 7 },
    Good("CollisionPolicy", "<string>first-installed</string>") {
      $0.registry.collisionPolicyName = .firstInstalled
    },
    Good("CollisionSeed", "<integer>0</integer>") { $0.registry.collisionSeed = 0 },
    Good("CollisionSeed", "<integer>18446744073709551615</integer>") {
      $0.registry.collisionSeed = .max
    },
    Good("CompletionSemantics", "<string>invoked</string>") { $0.delivery.completion = .invoked },
    Good("MaximumURLLength", "<integer>7</integer>") { $0.opens.maximumURLLength = 7 },
    Good("MaximumQueueLength", "<integer>7</integer>") { $0.opens.maximumQueueLength = 7 },
    Good("MaximumOpensPerCaller", "<integer>7</integer>") { $0.opens.maximumOpensPerCaller = 7 },
    Good("MaximumPendingBytes", "<integer>1000000000000</integer>") {
      $0.opens.maximumPendingBytes = 1_000_000_000_000
    },
    Good("MaximumLaunches", "<integer>7</integer>") { $0.launch.maximumLaunches = 7 },
    Good("MaximumInstances", "<integer>7</integer>") { $0.launch.maximumInstances = 7 },
    Good("MaximumRegistrations", "<integer>7</integer>") { $0.registry.maximumRegistrations = 7 },
    Good("Launcher", "<string>spawn</string>") { $0.launch.launcher = .spawn },
    Good("CheckInGrace", "<integer>7</integer>") { $0.launch.checkInGrace = 7 },
    Good("SuspendAfter", "<integer>7</integer>") { $0.launch.suspendAfter = 7 },
    Good("RecordLimit", "<integer>7</integer>") { $0.record.limit = 7 },
    Good("RecordAge", "<integer>7</integer>") { $0.record.age = 7 },
    Good("RecordFullURLs", "<true/>") { $0.record.keepsFullURLs = true },
    Good("CallsFrom", "<string>Pixel 7</string>") { $0.devices.callsFrom = "Pixel 7" },
    Good("Confirmations", "<dict><key>tel-web</key><false/><key>custom-web</key><true/></dict>") {
      $0.confirmations.table = ConfirmationTable(changes: ["tel-web": false, "custom-web": true])
    },
    Good("ConfirmationTimeout", "<integer>7</integer>") { $0.confirmations.timeout = 7 },
    Good("MaximumRemoteOpens", "<integer>7</integer>") { $0.opens.maximumRemoteOpens = 7 },
    Good("Browsers", "<array><string>dillo</string></array>") {
      $0.confirmations.webOrigin = WebOrigin(browsers: ["dillo"])
    },
    Good("Browsers", "<array/>") { $0.confirmations.webOrigin = WebOrigin(browsers: []) },
    Good("SystemSchemeForm", "<string>verbatim</string>") {
      $0.delivery.systemSchemeForm = .verbatim
    },
    Good("DirectConnections", "<false/>") { $0.takesDirectConnections = false },
    Good("FetchAssociations", "<false/>") { $0.associations.fetches = false },
    Good("DeveloperLinks", "<true/>") { $0.associations.allowsDeveloperLinks = true },
    Good("LogLevel", "<string>debug</string>") { $0.log.level = .debug },
    Good("LogRate", "<integer>7</integer>") { $0.log.rate = 7 },
  ]

  @Test("a value that is allowed changes its field, and no other", arguments: goodValues)
  func accepted(_ row: Good) {
    var expected = Settings()
    row.change(&expected)
    let file = Self.file(row.xml)
    #expect(file.settings == expected)
    #expect(file.problems.isEmpty)
  }

  @Test("each key of the table has a row above, and each field of Settings has a key")
  func complete() {
    let keys = SettingsTable.file.members.map(\.key)
    #expect(Set(keys).count == keys.count)
    let read = Self.goodValues.compactMap {
      $0.xml.split(separator: "<key>").first?.split(separator: "<").first
    }
    #expect(Set(read.map(String.init)) == Set(keys))
    // A struct of this module is a slice of the settings.
    let fields = Mirror(reflecting: Settings()).children.reduce(0) { count, child in
      let slice = Mirror(reflecting: child.value)
      return count
        + (slice.displayStyle == .struct && !slice.children.isEmpty ? slice.children.count : 1)
    }
    #expect(fields == keys.count)
  }

  private static let seconds = "whole number of seconds, 1 to 1000000000"
  /// Key, value, what the message says of it.
  static let badValues: [(String, String, String)] = [
    (
      "LaunchTimeout", "<integer>0</integer>",
      "0 is not allowed (\(seconds)); using the default, 20"
    ),
    (
      "LaunchTimeout", "<integer>-1</integer>",
      "-1 is not allowed (\(seconds)); using the default, 20"
    ),
    (
      "LaunchTimeout", "<integer>1000000001</integer>",
      "1000000001 is not allowed (\(seconds)); using the default, 20"
    ),
    (
      "LaunchTimeout", "<integer>18446744073709551615</integer>",
      "18446744073709551615 is not allowed (\(seconds)); using the default, 20"
    ),
    (
      "LaunchTimeout", "<integer>99999999999999999999</integer>",
      "a number of more than 64 bits, or another value that cannot be read, is not allowed (\(seconds)); using the default, 20"
    ),
    ("LaunchTimeout", "<real>2.5</real>", "2.5 is not allowed (\(seconds)); using the default, 20"),
    (
      "LaunchTimeout", "<string>20</string>",
      "the string \"20\" is not allowed (\(seconds)); using the default, 20"
    ),
    ("LaunchTimeout", "<true/>", "true is not allowed (\(seconds)); using the default, 20"),
    (
      "LaunchTimeout", "<date>2026-01-01T00:00:00Z</date>",
      "a date is not allowed (\(seconds)); using the default, 20"
    ),
    (
      "LaunchTimeout", "<data>AAAA</data>",
      "data is not allowed (\(seconds)); using the default, 20"
    ),
    (
      "SuspendAfter", "<integer>0</integer>",
      "0 is not allowed (\(seconds)); using the default, never"
    ),
    (
      "CollisionSeed", "<integer>-1</integer>",
      "-1 is not allowed (whole number, 0 to 18446744073709551615); using the default, 0"
    ),
    (
      "CollisionPolicy", "<string>Last-Installed</string>",
      "the string \"Last-Installed\" is not allowed (one of last-installed, first-installed,"
        + " ambiguous-is-error, seeded-random); using the default, last-installed"
    ),
    (
      "CompletionSemantics", "<integer>1</integer>",
      "1 is not allowed (one of delivered, invoked); using the default, delivered"
    ),
    (
      "LogLevel", "<dict><key>a</key><array/></dict>",
      "a dictionary is not allowed (one of error, warning, notice, info, debug); using the default,"
        + " notice"
    ),
    (
      "Launcher", "<array><string>spawn</string></array>",
      "an array is not allowed (one of automatic, systemd, spawn); using the default, automatic"
    ),
    (
      "RecordFullURLs", "<integer>1</integer>",
      "1 is not allowed (true or false); using the default, false"
    ),
    (
      "DirectConnections", "<string>yes</string>",
      "the string \"yes\" is not allowed (true or false); using the default, true"
    ),
    (
      "Browsers", "<array><string>a</string><array><true/></array></array>",
      "an array that contains an array is not allowed (array of strings); using the default, a list"
        + " of known browsers"
    ),
    (
      "Browsers", "<array><string>a</string><integer>3</integer></array>",
      "an array that contains 3 is not allowed (array of strings); using the default, a list of"
        + " known browsers"
    ),
    (
      "Confirmations", "<true/>",
      "true is not allowed (dictionary of settings); using the defaults of its keys"
    ),
    (
      "Launcher", "<string>\(String(repeating: "x", count: 90))</string>",
      "the string \"\(String(repeating: "x", count: 80))…\" is not allowed (one of automatic,"
        + " systemd, spawn); using the default, automatic"
    ),
    (
      "Launcher", "<string>a\n\u{202e}b</string>",
      "the string \"a\\u{a}\\u{202e}b\" is not allowed (one of automatic, systemd, spawn); using the"
        + " default, automatic"
    ),
  ]

  @Test(
    "a value that is not allowed costs its key alone, and one warning names all",
    arguments: badValues)
  func refused(_ key: String, _ value: String, _ text: String) {
    let file = Self.file("<key>\(key)</key>\(value)<key>LogRate</key><integer>7</integer>")
    var expected = Settings()
    expected.log.rate = 7
    #expect(file.settings == expected)
    #expect(file.problems.map(\.message) == ["config.plist: \(key): \(text)"])
    #expect(file.problems.map(\.level) == [.warning])
  }

  @Test("a row of Confirmations that is not allowed costs that row alone") func rows() {
    let file = Self.file(
      "<key>Confirmations</key><dict><key>tel-web</key><integer>1</integer><key>custom-web</key>"
        + "<false/><key>telweb</key><true/></dict>")
    #expect(file.settings.confirmations.table == ConfirmationTable(changes: ["custom-web": false]))
    #expect(
      file.problems.map(\.message) == [
        "config.plist: Confirmations.tel-web: 1 is not allowed (true or false); using the default,"
          + " true",
        "config.plist: Confirmations: ignored unknown keys: telweb (did you mean tel-web?)",
      ])
  }

  /// Keys, and what the warning says of them.
  static let unknownKeys: [([String], String)] = [
    (["LaunchTimeOut"], "LaunchTimeOut (did you mean LaunchTimeout?)"),
    (["launchtimeout"], "launchtimeout (did you mean LaunchTimeout?)"),
    (["LauchTimeout", "Colour"], "Colour, LauchTimeout (did you mean LaunchTimeout?)"),
    (["LogLvel"], "LogLvel (did you mean LogLevel?)"),
    (["Log"], "Log"),
    ([""], ""),
    (["\u{1b}[31m"], "\\u{1b}[31m"),
    (
      [String(repeating: "LaunchTimeout", count: 10)],
      String(repeating: "LaunchTimeout", count: 6) + "La…"
    ),
    (
      (10...29).map { "key \($0)" },
      (10...19).map { "key \($0)" }.joined(separator: ", ") + ", and 10 more"
    ),
  ]

  @Test("unknown keys are named in one warning, and near ones suggested", arguments: unknownKeys)
  func unknown(_ keys: [String], _ text: String) throws {
    // Binary, as XML has no escape characters.
    let contents = Dictionary(uniqueKeysWithValues: keys.map { ($0, "anything") })
    let bytes = try PropertyListSerialization.data(
      fromPropertyList: contents.merging(["Launcher": "spawn"]) { $1 }, format: .binary, options: 0)
    let file = SettingsFile(bytes: Array(bytes))
    #expect(file.problems.map(\.message) == ["config.plist: ignored unknown keys: \(text)"])
    #expect(file.settings.launch.launcher == .spawn)
  }

  @Test("two keys that are as near are not guessed between") func ambiguous() {
    #expect(NearestName.of("MaximumB", among: ["MaximumA", "MaximumC"]) == nil)
    #expect(NearestName.of("MaximumB", among: ["MaximumA", "MinimumC"]) == "MaximumA")
  }

  @Test("a large array is not read") func largeArray() {
    let browsers = String(repeating: "<string/>", count: SettingValue.longest + 1)
    #expect(
      Self.messages("<key>Browsers</key><array>\(browsers)</array>") == [
        "config.plist: Browsers: an array of more than 10000 entries is not allowed (array of"
          + " strings); using the default, a list of known browsers"
      ])
  }

  /// Contents of the file, and the reason.
  static let unusableFiles: [(String, String)] = [
    ("", "the file is empty"),
    (" \n", "the file contains only blanks"),
    ("{\"LogRate\": 7}", "the file looks like JSON or an old-style property list"),
    ("LogRate = 7", "the file is neither an XML nor a binary property list"),
    ("bplist00", "the file begins like a binary property list, but ends too early"),
    ("<plist version=\"1.0\"><dict><key>LogRate</key>", "the XML ends too early"),
    (
      "<plist version=\"1.0\"><dict><key>LogRate</key><number>7</number></dict></plist>",
      "the XML is not a property list (the decoder says: Encountered unknown tag number)"
    ),
    (
      "<plist version=\"1.0\"><array><integer>7</integer></array></plist>",
      "the property list is an array, not a dictionary"
    ),
    (
      "<plist version=\"1.0\"><string>x</string></plist>",
      "the property list is the string \"x\", not a dictionary"
    ),
  ]

  @Test("a file that is no property list: the reason, and the defaults", arguments: unusableFiles)
  func unusable(_ contents: String, _ reason: String) {
    let file = SettingsFile(bytes: Array(contents.utf8))
    #expect(
      file.problems.map(\.message)
        == ["config.plist: not used: \(reason); using the default of every setting"])
    #expect(file.problems.map(\.level) == [.error])
    #expect(file.settings == Settings())
  }

  @Test("a file that cannot be read: the reason, and the defaults; none at all is no problem")
  func unreadable() {
    let file = SettingsFile(path: "/dev/null")
    #expect(
      file.problems.map(\.message) == [
        "config.plist: not used: /dev/null: it is a device, but a regular file is needed; using the default of every setting"
      ])
    let missing = SettingsFile(path: "/nonexistent/config.plist")
    #expect(missing.problems.isEmpty)
    #expect(missing.settings == Settings())
  }
}
