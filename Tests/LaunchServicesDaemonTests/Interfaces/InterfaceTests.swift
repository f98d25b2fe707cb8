import BusContract
import DBus
import LaunchRules
import Testing

@testable import CallerIdentity
@testable import LaunchServicesDaemon

@MainActor @Suite("The calls of the contract and their answers", .timeLimit(.minutes(30)))
struct InterfaceTests {
  /// A call of the user's own program, while photos is registered and nothing runs.
  typealias Row = (method: String, arguments: [Value], answer: String)

  static let none = "com.example.none"
  static let photos = "com.example.photos"

  static let workspace: [Row] = [
    ("CanOpenURL", [.string("photos:1"), .options([:])], "false"),
    ("OpenURL", [.string("none:1"), .options([:])], "ApplicationNotFound"),
    ("OpenURL", [.string("no URL"), .options([:])], "InvalidURL"),
    ("OpenURL", [.string("photos:1"), .options([:])], "pending"),
    ("OpenDocuments", [.strings([]), .options([:])], "InvalidArgs"),
    ("CancelOpen", [.string("none")], "InvalidArgs"),
    ("RequestFate", [.string("none"), .options([:])], "options"),
    ("PerformQuickAction", [.string(photos), .string("none"), .options([:])], "InvalidArgs"),
    ("OpenApplication", [.string("no identifier"), .options([:])], "InvalidArgs"),
    ("OpenApplication", [.string(none), .options([:])], "ApplicationNotFound"),
    ("Explain", [.string("photos:1"), .options([:])], "options"),
    ("WaitForExit", [.uint32(4711), .options([:])], "NotRunning"),
    (
      "IdentifyProcess", [.uint32(.max), .uint64(1), .options([:])],
      "org.freedesktop.DBus.Error.AccessDenied"
    ),
    ("CurrentActivities", [.options([:])], "0 entries"),
    ("History", [.options(["limit": .uint32(1)])], "1 entries"),
    ("Monitor", [.options([:])], ""),
  ]

  static let launch: [Row] = [
    // The check-in is answered when the rules have decided.
    ("CheckIn", [.options([:])], "pending"),
    ("FinishLaunching", [.options([:])], "NotPermitted"),
    ("Retire", [.options([:])], "NotPermitted"),
    ("HandedOver", [.uint64(1), .options([:])], "NotPermitted"),
    ("ProgramFailed", [.uint64(1), .options(["signal": .uint32(6)])], "NotPermitted"),
    ("DeliverDirectly", [.options([:])], "NotPermitted"),
    ("SetShortcutItems", [.optionsList([]), .options([:])], "NotPermitted"),
    ("SetCurrentActivity", [.options([:]), .options([:])], "NotPermitted"),
  ]

  static let registry: [Row] = [
    ("RegisterApplication", [.string("/nowhere"), .options([:])], "InvalidBundle"),
    ("UnregisterApplication", [.string(none)], "NotRegistered"),
    ("ForgetRegistrations", [.options([:])], "[]"),
    ("ListApplications", [], "1 entries"),
    ("FindApplications", [.options(["name": .string("none")])], "0 entries"),
    ("WatchApplications", [.options([:])], ""),
    ("WatchReading", [.options([:])], ""),
    ("RunningApplications", [], "0 entries"),
    ("Handlers", [.string("none")], "[] []"),
    ("Handlers", [.string("no scheme")], "InvalidArgs"),
    ("DefaultHandler", [.string("photos")], photos),
    ("DefaultHandler", [.string("none")], "ApplicationNotFound"),
    ("SetDefaultHandler", [.string("photos"), .string(photos)], ""),
    ("SetDefaultHandler", [.string("photos"), .string(none)], "NotRegistered"),
    ("SetDefaultHandler", [.string("javascript"), .string(photos)], "InvalidArgs"),
    ("HandlersOfDocument", [.string("file:///nowhere/a"), .options([:])], "NoSuchFile"),
    ("HandlersOfType", [.string("public.text"), .options([:])], "[] []"),
    (
      "SetDefaultHandlerOfType",
      [.string("public.text"), .string(photos), .options([:])], "NotPermitted"
    ),
    ("SetHandlerOfDocument", [.string("file:///a"), .string(""), .options([:])], ""),
    ("TypeOfDocument", [.string("file:///nowhere/a"), .options([:])], "NoSuchFile"),
    ("Lint", [.string("/nowhere")], "InvalidBundle"),
    ("Check", [.string("/nowhere"), .options([:])], "InvalidBundle"),
    ("Reload", [], ""),
    ("SetDesktopExport", [.boolean(false), .options([:])], ""),
    ("SetDefaultsGuard", [.string("off"), .options([:])], ""),
    ("SetDefaultsGuard", [.string("on"), .options([:])], "InvalidArgs"),
    ("Links", [.options([:])], "0 entries"),
    (
      "ChooseLink",
      [.string(photos), .string("example.com"), .string("browser"), .options([:])], "NotRegistered"
    ),
    (
      "SetAssociationFile",
      [.string("example.com"), .string("/nowhere"), .options([:])], "InvalidBundle"
    ),
    ("RefreshLinks", [.strings([]), .options([:])], "NotPermitted"),
    (
      "Devices", [.options([:])],
      "0 entries KDE Connect cannot be asked: the message bus names no owner of org.kde.kdeconnect"
    ),
  ]

  static let remotes: [Row] = [
    ("Remotes", [.options([:])], "0 entries"),
    // The daemon of the test has no folder for sockets.
    ("AddRemote", [.string("laptop"), .options([:])], "org.freedesktop.DBus.Error.Failed"),
    ("RemoveRemote", [.string("none"), .options([:])], "InvalidArgs"),
    (
      "SetRemoteSchemes",
      [.string("none"), .stringDictionary(["photos": "allow"]), .options([:])], "InvalidArgs"
    ),
    ("SetRemoteCallbacks", [.string("none"), .boolean(true), .options([:])], "InvalidArgs"),
    (
      "SetRemoteRules",
      [.string("none"), .strings(["photos"]), .boolean(true), .options([:])], "InvalidArgs"
    ),
  ]

  static let confirmation: [Row] = [
    ("RegisterAgent", [.objectPath("/agent"), .options([:])], ""),
    ("Approvals", [.options([:])], "0 entries"),
    ("SetApprovals", [.optionsList([]), .options([:])], ""),
    ("ResetApprovals", [.string(""), .string(""), .string(""), .options([:])], "0"),
  ]

  static var rows: [Row] { workspace + launch + registry + remotes + confirmation }

  @Test("Each call of the user's own program has its answer") func answers() async throws {
    let world = try await DaemonWorld()
    for row in Self.rows {
      let answer = try await world.answer(row, .success(DaemonWorld.facts(7)))
      #expect(answer == row.answer, "\(row)")
    }
  }

  @Test("The table of calls has every method of the contract") func complete() {
    #expect(
      Set(Self.rows.map(\.method))
        == Set(Contract.interfaces.flatMap(\.methods).map(\.name.text)))
  }

  @Test("A caller that cannot be identified is denied every call") func unidentifiable()
    async throws
  {
    let world = try await DaemonWorld()
    for row in Self.rows {
      #expect(
        try await world.answer(row, .failure(.notOurs))
          == "org.freedesktop.DBus.Error.AccessDenied", "\(row)")
    }
  }

  // MARK: Access

  static let registryMethods = Set(registry.map(\.method)).union([
    "WaitForExit", "IdentifyProcess",
  ])
  static let fileMethods: Set = [
    "HandlersOfDocument", "HandlersOfType", "SetDefaultHandlerOfType", "SetHandlerOfDocument",
    "TypeOfDocument",
  ]
  /// The calls that only the user may make.
  static let usersMethods = Set((confirmation + remotes).map(\.method)).union([
    "CurrentActivities"
  ])

  @Test("An iOS application learns nothing of others: neither registry, approvals nor opens")
  func iOS() async throws {
    let world = try await DaemonWorld()
    let unit = try #require(
      ApplicationUnit.name(for: DaemonWorld.photos, random: "0123456789abcdef"))
    try await expect(
      Self.registryMethods.union(Self.usersMethods).union(["Monitor"]), in: world
    ) { $0.unit = unit }
  }

  @Test("A macOS application asks about the registry, and neither approvals nor opens of others")
  func macOS() async throws {
    let world = try await DaemonWorld(
      keys: "<key>LSMinimumSystemVersion</key><string>14.0</string>")
    let unit = try #require(
      ApplicationUnit.name(for: DaemonWorld.photos, random: "0123456789abcdef"))
    try await expect(Self.usersMethods.union(["Monitor"]), in: world) { $0.unit = unit }
  }

  @Test("A program that a browser has started gives no answers of the user") func browser()
    async throws
  {
    let world = try await DaemonWorld()
    try await expect(Self.usersMethods, in: world) { $0.finding = .browser }
  }

  @Test("A program in a sandbox with files of its own names no files") func sandbox() async throws {
    let world = try await DaemonWorld()
    try await expect(Self.fileMethods.union(["OpenDocuments"]), in: world) {
      $0.flatpak = BundleIdentifier(Self.none)
    }
  }

  /// The methods are refused by the access table, and no others.
  private func expect(
    _ refused: Set<String>, in world: DaemonWorld,
    of change: (inout CallerTable.Facts) -> Void
  ) async throws {
    var facts = DaemonWorld.facts(7)
    change(&facts)
    for row in Self.rows {
      #expect(
        try await world.isForbidden(row, .success(facts)) == refused.contains(row.method),
        "\(row.method)")
    }
  }
}

extension DaemonWorld {
  /// What the access table says of callers that it refuses.
  private static let reasons = [
    "only the user's own tools may use the registry", "may not answer confirmations for the user",
    "may not give rights to remotes for the user",
    "may not read the activities of other applications",
    "may monitor the opens of other programs", "in a sandbox with a different file system",
  ]

  /// Makes a call over the socket, and hands it to the dispatcher.
  private func dispatch(
    _ row: InterfaceTests.Row, _ facts: CallerTable.Answer
  ) async throws -> Result<Reply, BusError> {
    let interface = try #require(
      Contract.interfaces.first { $0.methods.contains { $0.name.text == row.method } })
    let member = try #require(interface.methods.first { $0.name.text == row.method }).name
    let call = try await sockets.call(
      .call(
        to: Contract.busName, path: Contract.objectPath, interface: interface.name, member: member,
        row.arguments))
    kept.append(call)
    let content = try IncomingCall(call)
    do throws(BusError) {
      return .success(
        try opening.dispatcher.answer(.init(content: content, call: call, facts: facts)))
    } catch {
      return .failure(error)
    }
  }

  func isForbidden(
    _ row: InterfaceTests.Row, _ facts: CallerTable.Answer
  ) async throws -> Bool {
    guard case .failure(let error) = try await dispatch(row, facts) else { return false }
    return Self.reasons.contains { error.text.contains($0) }
  }

  /// The answer, when it comes without a handler.
  func answer(
    _ row: InterfaceTests.Row, _ facts: CallerTable.Answer
  ) async throws -> String {
    do throws(BusError) {
      let reply = try await dispatchedReply(row, facts).get()
      return try await reply.madeValues().map(Self.text) ?? "pending"
    } catch {
      return error.name == BusError.invalidArguments("").name
        ? "InvalidArgs" : error.name.text.replacing("org.launchservices.Error.", with: "")
    }
  }

  private func dispatchedReply(
    _ row: InterfaceTests.Row, _ facts: CallerTable.Answer
  ) async -> Result<Reply, BusError> {
    do {
      return try await dispatch(row, facts)
    } catch {
      return .failure(error as? BusError ?? .failed("\(error)"))
    }
  }

  private static func text(_ values: [Value]) -> String {
    values.map { value in
      switch value {
      case .string(let text): text
      case .boolean(let truth): "\(truth)"
      case .uint32(let number): "\(number)"
      case .array(of: "s", let texts): "[\(texts.compactMap(\.asString).joined(separator: ", "))]"
      case .array(of: "a{sv}", let entries): "\(entries.count) entries"
      case .array(of: "{sv}", _): "options"
      default: "\(value)"
      }
    }.joined(separator: " ")
  }
}
