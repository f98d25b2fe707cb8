internal import FoundationEssentials
internal import Host
internal import LaunchRules
internal import PropertyLists

/// What the user and the command line set, with the defaults of the documentation.
nonisolated struct Settings: Sendable {
  /// Seconds a process may take from its start to `FinishLaunching` (R5.25).
  var launchTimeout = 20
  /// Seconds a handler may take to answer a delivery.
  var deliveryTimeout = 20
  var collisionPolicy = CollisionPolicy.lastInstalled
  /// Answer an open when the application was invoked, as Apple does (R4.3), instead of when it has
  /// acknowledged the URL.
  var completesWhenInvoked = false
  /// Bytes of a URL.
  var maximumURLLength = 1 << 20
  /// Opens that may wait for one application.
  var maximumQueueLength = 1000
  /// Opens of one caller that may be under way.
  var maximumOpensPerCaller = 5000
  /// Bytes that all opens under way may take together.
  var maximumPendingBytes = 64 << 20
  /// Processes that are launched at once; others wait.
  var maximumLaunches = 32
  /// Applications that `RegisterApplication` may add.
  var maximumRegistrations = 10_000
  var logLevel = JournalLevel.notice
  /// Lines of the log in one second; more are counted, not written.
  var logRate = 100
  /// Requests that are remembered.
  var recordLimit = 10_000
  /// Seconds for which they are remembered.
  var recordAge = 7 * 24 * 3600
  /// Remember the query and fragment of URLs, too, which may hold secrets.
  var recordsFullURLs = false
  /// Seconds that an application which ran before the daemon has to check in again.
  var checkInGrace = 5
  var confirmationTable = ConfirmationTable()
  /// Seconds the user has to answer.
  var confirmationTimeout = 60
  var webOrigin = WebOrigin()
  /// Seconds in the background after which an application is suspended; nil for never.
  var suspendAfter: Int?
  /// How the processes of applications are started.
  var launcher = LauncherSetting.automatic
  /// Take connections with no bus between as well.
  var takesDirectConnections = true
  /// Keys of the settings file that mean nothing, perhaps misspelt.
  var unknownKeys: [String] = []
  /// Ask sites for their association files (R8.5).
  var fetchesAssociations = true
  /// Associated domains with `mode=developer` count (R8.4).
  var allowsDeveloperLinks = false
  /// In association files `/x/*` matches `/x`, too (R8.17).
  var lenientTrailingSlash = false
}

nonisolated extension Settings {
  /// The keys of `config.plist`. Absent ones keep their defaults.
  private struct File: Decodable {
    var launchTimeout: Int?
    var deliveryTimeout: Int?
    var collisionPolicy: String?
    var collisionSeed: UInt64?
    var completionSemantics: String?
    var maximumURLLength: Int?
    var maximumQueueLength: Int?
    var logLevel: String?
    var maximumOpensPerCaller: Int?
    var maximumPendingBytes: Int?
    var maximumLaunches: Int?
    var maximumRegistrations: Int?
    var logRate: Int?
    var suspendAfter: Int?
    var recordLimit: Int?
    var recordAge: Int?
    var recordFullURLs: Bool?
    var checkInGrace: Int?
    var confirmations: [String: Bool]?
    var confirmationTimeout: Int?
    var browsers: [String]?
    var launcher: String?
    var directConnections: Bool?
    var fetchAssociations: Bool?
    var developerLinks: Bool?
    var lenientTrailingSlash: Bool?

    enum CodingKeys: String, CodingKey {
      case launchTimeout = "LaunchTimeout"
      case deliveryTimeout = "DeliveryTimeout"
      case collisionPolicy = "CollisionPolicy"
      case collisionSeed = "CollisionSeed"
      case completionSemantics = "CompletionSemantics"
      case maximumURLLength = "MaximumURLLength"
      case maximumQueueLength = "MaximumQueueLength"
      case logLevel = "LogLevel"
      case maximumOpensPerCaller = "MaximumOpensPerCaller"
      case maximumPendingBytes = "MaximumPendingBytes"
      case maximumLaunches = "MaximumLaunches"
      case maximumRegistrations = "MaximumRegistrations"
      case logRate = "LogRate"
      case suspendAfter = "SuspendAfter"
      case recordLimit = "RecordLimit"
      case recordAge = "RecordAge"
      case recordFullURLs = "RecordFullURLs"
      case checkInGrace = "CheckInGrace"
      case confirmations = "Confirmations"
      case confirmationTimeout = "ConfirmationTimeout"
      case browsers = "Browsers"
      case launcher = "Launcher"
      case directConnections = "DirectConnections"
      case fetchAssociations = "FetchAssociations"
      case developerLinks = "DeveloperLinks"
      case lenientTrailingSlash = "LenientTrailingSlash"
    }
  }

  /// The keys that the settings file has.
  private struct FoundKeys: Decodable {
    struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }
    let names: [String]
    init(from decoder: any Decoder) throws {
      names = try decoder.container(keyedBy: Key.self).allKeys.map(\.stringValue)
    }
  }

  struct Unusable: Error, CustomStringConvertible {
    let description: String
  }

  /// Reads the settings file. A file that is missing is no error.
  mutating func read(_ path: String) throws(Unusable) {
    guard FileIdentity(path: path) != nil else { return }
    let file: File
    let keys: [String]
    do {
      let bytes = try RegularFile.read(path, atMost: 1 << 20).bytes
      let list = Data(try HostileInput.admit(bytes))
      file = try PropertyListDecoder().decode(File.self, from: list)
      keys = try PropertyListDecoder().decode(FoundKeys.self, from: list).names
    } catch let error as Refusal {
      throw Unusable(description: "\(path): \(error)")
    } catch let error as FileError {
      throw Unusable(description: error.description)
    } catch DecodingError.typeMismatch(_, let context) {
      let key = context.codingPath.map(\.stringValue).joined(separator: ".")
      throw Unusable(description: "\(path): \(key): the value is of the wrong type")
    } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
      let key = context.codingPath.map(\.stringValue).joined(separator: ".")
      throw Unusable(description: "\(path): \(key): the value is out of range")
    } catch {
      throw Unusable(description: "\(path): it is not a property list")
    }
    func wrong(_ key: String, _ allowed: String) -> Unusable {
      Unusable(description: "\(path): \(key): allowed are \(allowed)")
    }
    func positive(_ key: String, _ number: Int?, _ change: (Int) -> Void) throws(Unusable) {
      guard let number else { return }
      guard (1...1_000_000_000).contains(number) else {
        throw wrong(key, "whole numbers from 1 to 1,000,000,000")
      }
      change(number)
    }
    var settings = self
    settings.unknownKeys = keys.filter { File.CodingKeys(stringValue: $0) == nil }.sorted()
    try positive("LaunchTimeout", file.launchTimeout) { settings.launchTimeout = $0 }
    try positive("DeliveryTimeout", file.deliveryTimeout) { settings.deliveryTimeout = $0 }
    try positive("MaximumOpensPerCaller", file.maximumOpensPerCaller) {
      settings.maximumOpensPerCaller = $0
    }
    try positive("MaximumPendingBytes", file.maximumPendingBytes) {
      settings.maximumPendingBytes = $0
    }
    try positive("MaximumLaunches", file.maximumLaunches) { settings.maximumLaunches = $0 }
    try positive("MaximumRegistrations", file.maximumRegistrations) {
      settings.maximumRegistrations = $0
    }
    try positive("LogRate", file.logRate) { settings.logRate = $0 }
    try positive("RecordLimit", file.recordLimit) { settings.recordLimit = $0 }
    try positive("RecordAge", file.recordAge) { settings.recordAge = $0 }
    try positive("CheckInGrace", file.checkInGrace) { settings.checkInGrace = $0 }
    try positive("ConfirmationTimeout", file.confirmationTimeout) {
      settings.confirmationTimeout = $0
    }
    if let changes = file.confirmations {
      let names = ConfirmationTable.rows.map(\.name)
      guard changes.keys.allSatisfy(names.contains) else {
        throw wrong("Confirmations", "the keys " + names.joined(separator: ", "))
      }
      settings.confirmationTable.changes = changes
    }
    if let browsers = file.browsers { settings.webOrigin.browsers = Set(browsers) }
    if let full = file.recordFullURLs { settings.recordsFullURLs = full }
    if let takes = file.directConnections { settings.takesDirectConnections = takes }
    if let fetches = file.fetchAssociations { settings.fetchesAssociations = fetches }
    if let allows = file.developerLinks { settings.allowsDeveloperLinks = allows }
    if let lenient = file.lenientTrailingSlash { settings.lenientTrailingSlash = lenient }
    try positive("SuspendAfter", file.suspendAfter) { settings.suspendAfter = $0 }
    try positive("MaximumURLLength", file.maximumURLLength) { settings.maximumURLLength = $0 }
    try positive("MaximumQueueLength", file.maximumQueueLength) {
      settings.maximumQueueLength = $0
    }
    if let text = file.collisionPolicy {
      guard let policy = LaunchRules.CollisionPolicy(text, seed: file.collisionSeed ?? 0) else {
        throw wrong(
          "CollisionPolicy", "last-installed, first-installed, ambiguous-is-error, seeded-random")
      }
      settings.collisionPolicy = policy
    }
    switch file.completionSemantics {
    case nil: break
    case "delivered": settings.completesWhenInvoked = false
    case "invoked": settings.completesWhenInvoked = true
    default: throw wrong("CompletionSemantics", "delivered, invoked")
    }
    if let text = file.launcher {
      guard let launcher = LauncherSetting(rawValue: text) else {
        throw wrong("Launcher", LauncherSetting.allCases.map(\.rawValue).joined(separator: ", "))
      }
      settings.launcher = launcher
    }
    if let text = file.logLevel {
      guard let level = JournalLevel(rawValue: text) else {
        throw wrong("LogLevel", JournalLevel.allCases.map(\.rawValue).joined(separator: ", "))
      }
      settings.logLevel = level
    }
    self = settings
  }
}
