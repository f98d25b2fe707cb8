import BusContract
import DBus
import DBusMainLoop
import DaemonSettings
import Foundation
import Host
import LaunchRules
import Records
import SeededRandom
import Testing

@testable import CallerIdentity
@testable import LaunchServicesDaemon

/// What `Explain` tells and what `OpenURL` and `OpenDocuments` do, for random registries, callers and options.
@MainActor @Suite("Explanations and opens", .timeLimit(.minutes(30)))
struct AgreementTests {
  fileprivate static let names = ["a", "b", "c", "d.desktop"]
  private static let schemes = ["x", "tel", "mailto", "https", "sms"]

  @Test("name the same application, or the same failure, and ask the user alike") func agree()
    async throws
  {
    var counts = Counts()
    let seeds = Self.seeds
    for seed in 0..<seeds { try await agree(seed, &counts) }
    let known = Int(seeds)
    #expect(
      counts.opened > 20 * known && counts.failed > 20 * known && counts.links > 5 * known / 2
        && counts.batches > 5 * known / 2 && counts.loops > known
        && counts.confirmed > 5 * known / 2
        && counts.declined > known / 2 && counts.remotes > 5 * known, "\(counts)")
  }

  /// How many times a hundred cases: 5, or the value of `LAUNCH_SERVICES_SEEDS`.
  private static let seeds =
    ProcessInfo.processInfo.environment["LAUNCH_SERVICES_SEEDS"].flatMap(UInt64.init) ?? 5

  /// What the cases were about.
  private struct Counts {
    var opened = 0
    var failed = 0
    /// Universal links that an application got.
    var links = 0
    /// Opens of several documents.
    var batches = 0
    /// Opens that were refused as loops.
    var loops = 0
    /// Opens that the user must confirm.
    var confirmed = 0
    /// Opens that the user declined in advance.
    var declined = 0
    /// Opens by a remote, or in the name of one.
    var remotes = 0
  }

  private func agree(_ seed: UInt64, _ counts: inout Counts) async throws {
    let world = try await DaemonWorld()
    try await world.addAssociationFile()
    try world.addRemote()
    let opener = world.opener()
    let documents = try ["a.txt", "b.png", "c.none"].map { name in
      let path = world.folder + "/" + name
      try "text".write(toFile: path, atomically: true, encoding: .utf8)
      return "file://" + path
    }
    var random = SplitMix64(seed: seed)
    try await world.opening.confirmations.set(Self.answers(&random))
    for number in 0..<100 {
      // In one case of five, a browser opens a page again that the bridge has passed five times in a row.
      let isRepeated = number.isMultiple(of: 5)
      world.registry.store.replaceDesktopApplications(
        Self.records(&random).filter { !isRepeated || $0.application?.isSystem == true })
      try await world.choose(Self.choices(&random))
      if isRepeated {
        for _ in 0..<BridgeRepetitions.most {
          world.opening.redirectLoops.handedOver(try world.bridged(Self.page))
        }
      }
      var facts = DaemonWorld.facts(7, hops: Self.hops(&random))
      facts.finding =
        isRepeated ? .browser : Self.findings.randomElement(using: &random) ?? .program
      let caller = IdentifiedCaller(Self.caller(&random), on: SocketPair.name, facts)
      let options = isRepeated ? OpenOptions() : Self.options(&random)
      // A process is started to find the type of c.none, so few cases have it.
      let known = seed.isMultiple(of: 10) ? documents : Array(documents.dropLast())
      let urls =
        Self.urls + Array(repeating: Self.page, count: 8) + known + ["file:///nowhere/x"]
      let batch = (known + ["file:///nowhere/x"]).shuffled(using: &random).prefix(3)
      let isBatch = Int.random(in: 0..<6, using: &random) == 0
      let asked =
        isRepeated
        ? [Self.page]
        : isBatch ? Array(batch) : [urls.randomElement(using: &random) ?? Self.page]
      let what: Comment = "seed \(seed), \(number): \(asked) \(options) of \(caller.caller)"
      var explained: [String: Told] = [:]
      for url in asked { explained[url] = await world.explained(url, options, caller) }
      let acts = try await world.act(asked, options, caller, opener)
      #expect(Set(acts.keys) == Set(asked), what)
      if asked.count > 1 { counts.batches += 1 }
      for (url, act) in acts {
        if act.failure == nil { counts.opened += 1 } else { counts.failed += 1 }
        if act.isLink { counts.links += 1 }
        if act.failure?.contains("opened repeatedly") == true { counts.loops += 1 }
        if act.isAsked { counts.confirmed += 1 }
        if act.failure?.contains("the user has declined") == true { counts.declined += 1 }
        if (try? caller.acting(as: options.actAs))?.remote != nil { counts.remotes += 1 }
        let told = try #require(explained[url])
        let isHidden =
          world.registry.store.registry.sandboxed(caller.caller) != nil && told.handler == ""
          && told.failure == nil
        if !isHidden { #expect(told == act, what) }
      }
    }
  }

  fileprivate static let page = "https://my.com/a"

  /// The user's choices about universal links: an application, and whether it or the browser gets them.
  private static func choices(_ random: inout SplitMix64) -> [String: LinkChoice] {
    var choices: [String: LinkChoice] = [:]
    for name in names where Int.random(in: 0..<3, using: &random) == 0 {
      choices[name] = LinkChoice.allCases.randomElement(using: &random)
    }
    return choices
  }

  /// Remembered answers of the user.
  private static func answers(_ random: inout SplitMix64) throws -> [Approval] {
    let openers: [Approvals.Opener] =
      [.unidentified, .web, .remote(laptop)]
      + names.compactMap(BundleIdentifier.init).map { .application($0) }
    return try (0..<40).map { _ in
      let key = Approvals.Key(
        opener: try #require(openers.randomElement(using: &random)),
        scheme: try #require(schemes.randomElement(using: &random).flatMap(URLScheme.init)),
        handler: try #require(names.randomElement(using: &random).flatMap(BundleIdentifier.init)))
      return Approval(key, isAllowed: Bool.random(using: &random))
    }
  }

  fileprivate static let laptop = RemoteName("laptop")!

  /// A URL that has passed the desktop bridge, for an opener in four.
  private static func hops(_ random: inout SplitMix64) -> BridgeHops? {
    guard Int.random(in: 0..<4, using: &random) == 0,
      let scheme = schemes.randomElement(using: &random).flatMap(URLScheme.init)
    else { return nil }
    return BridgeHops(
      scheme, count: Int.random(in: 1...BridgeHops.most, using: &random),
      all: Int.random(in: 1...BridgeHops.mostOfAll, using: &random))
  }

  private static let findings: [WebOrigin.Finding] = [.program, .browser, .possible(.portal)]

  private static let urls = [
    "x:1", "X:2", "tel:1", "tel:*1#", "mailto:a@b.example", "mailto:nobody", "sms:1", "sms:abc",
    "https://my.com/b", "https://other.com:1/", "nobody:1", "no URL", "about:blank",
  ]

  private static func caller(_ random: inout SplitMix64) -> Caller {
    let name = BundleIdentifier(names.randomElement(using: &random)!)!
    return switch Int.random(in: 0..<8, using: &random) {
    case 0: .application(name, .executable)
    case 1: .orphan(isSandboxed: true)
    case 2: .orphan(isSandboxed: false)
    case 3: .outsider(.container(namespaces: "user"))
    case 4: .remote(laptop)
    default: .unidentified
    }
  }

  private static func options(_ random: inout SplitMix64) -> OpenOptions {
    var options = OpenOptions()
    func isSet(_ random: inout SplitMix64) -> Bool { Int.random(in: 0..<8, using: &random) == 0 }
    if isSet(&random) {
      options.actAs = (names + ["nosuch", "remote:laptop", "remote:nosuch"]).randomElement(
        using: &random)
    }
    if isSet(&random) { options.application = (names + ["nosuch"]).randomElement(using: &random) }
    options.ownApplication = Int.random(in: 0..<8, using: &random) == 0
    options.isLink = isSet(&random)
    options.isLegacy = isSet(&random)
    options.universalLinksOnly = isSet(&random)
    return options
  }

  /// Declares the types of two of the documents.
  private static let core: ApplicationRecord = {
    var declaration = ApplicationDeclaration(identifier: BundleIdentifier("core")!)
    declaration.documents.exported = [
      TypeDeclaration(.plainText, conformsTo: [.data], tags: [.fileExtension("txt")]),
      TypeDeclaration(
        TypeIdentifier("public.png")!, conformsTo: [.data], tags: [.fileExtension("png")]),
    ]
    return ApplicationRecord(
      InstalledApplication(
        declaration: declaration, propertyList: "/apps/core", folder: "/apps", isSystem: true))
  }()

  private static func records(_ random: inout SplitMix64) -> [ApplicationRecord] {
    [core]
      + names.filter { _ in Int.random(in: 0..<5, using: &random) > 0 }.map { name in
        let claims = schemes.filter { _ in Bool.random(using: &random) }.compactMap(URLScheme.init)
        let isSystem = Int.random(in: 0..<3, using: &random) == 0
        let isBridge = isSystem && Int.random(in: 0..<4, using: &random) > 0
        var declaration = ApplicationDeclaration(
          identifier: BundleIdentifier(name)!,
          program: .arguments([isBridge ? DesktopBridge.program : "/usr/bin/true"]),
          urlTypes: [URLTypeDeclaration(schemes: claims)],
          platform: Bool.random(using: &random) ? .iOS : .macOS,
          linkedSDK: LinkedSDK([9, 12, 18, 26].randomElement(using: &random)!),
          team: Bool.random(using: &random) ? "ABCDE12345" : nil,
          webHosts: Bool.random(using: &random) ? [WebHost("my.com")].compactMap(\.self) : [])
        if Bool.random(using: &random), let domain = WebHost("my.com") {
          declaration.associatedDomains = [AssociatedDomain(domain)]
        }
        if Bool.random(using: &random) {
          declaration.documents.types = [DocumentTypeDeclaration(contentTypes: [.item])]
        }
        return ApplicationRecord(
          InstalledApplication(
            declaration: declaration, propertyList: "/apps/\(name)", folder: "/apps",
            isSystem: isSystem, installedAt: Int64.random(in: 0..<9, using: &random),
            origin: name.hasSuffix(".desktop") ? .desktopEntry : .propertyList))
      }
  }
}

/// The application that gets an open, or the text of the failure.
private struct Told: Equatable {
  var handler = ""
  /// Whether the application gets the URL as a universal link.
  var isLink = false
  /// Whether the user must confirm the open.
  var isAsked = false
  var failure: String?
}

extension DaemonWorld {
  fileprivate struct Opener {
    let urls: OpenService
    let documents: DocumentOpenService
  }

  fileprivate func opener() -> Opener {
    let lookup = RequestLookup(
      registry.store, registry.remotes, OutsidePaces(opensPerMinute: 30), requests.store,
      requests.opens, requests.history, coordinator)
    let urls = OpenService(
      limits: OpenLimits(), store: registry.store, decider: opening.decider,
      confirmations: opening.confirmations, quickActions: registry.quickActions,
      opens: requests.opens, requestLookup: lookup, history: requests.history,
      coordinator: coordinator, hasDisplay: false
    ) { _ in true }
    return Opener(
      urls: urls,
      documents: DocumentOpenService(
        store: registry.store, documents: registry.documents, decider: opening.decider,
        opens: requests.opens, requests: requests.store, history: requests.history,
        service: urls, coordinator: coordinator))
  }

  fileprivate func explained(
    _ url: String, _ options: OpenOptions, _ caller: IdentifiedCaller
  ) async -> Told {
    let query = QueryOptions(
      actAs: options.actAs, application: options.application,
      ownApplication: options.ownApplication, isLink: options.isLink,
      universalLinksOnly: options.universalLinksOnly, isLegacy: options.isLegacy)
    do throws(BusError) {
      let told =
        url.hasPrefix("file:")
        ? try await explainer().documentExplanation(url, query, caller)()
        : try explainer().explain(url, query, caller)
      let steps = steps(told)
      let last = steps.last { $0.hasPrefix("open: fails: ") }
      return Told(
        handler: told["handler"]?.asString ?? "",
        isLink: steps.contains { $0.hasPrefix("open: delivers the URL as a user activity") },
        isAsked: steps.contains {
          $0.hasPrefix("confirmation: ") && $0.contains("the user is asked (row")
        },
        failure: last.map { String($0.dropFirst("open: fails: ".count)) })
    } catch {
      return Told(failure: error.text)
    }
  }

  /// Opens a URL, or the documents of a call, and says for each what became of it.
  fileprivate func act(
    _ urls: [String], _ options: OpenOptions, _ caller: IdentifiedCaller, _ opener: Opener
  ) async throws -> [String: Told] {
    let answers = EventStream<Result<[Value], BusError>>()
    let call = try await sockets.call(MessageBus.nameOwner(Contract.busName)) { answers.add($0) }
    let first = requests.opens.nextRequest().number + 1
    func all(_ failure: String) -> [String: Told] {
      Dictionary(uniqueKeysWithValues: urls.map { ($0, Told(failure: failure)) })
    }
    do throws(BusError) {
      let reply =
        urls[0].hasPrefix("file:")
        ? try opener.documents.open(urls, options, caller, call, isSingle: urls.count == 1)
        : try opener.urls.openURL(urls[0], options, caller, call)
      if case .pendingAfter(let work) = reply { try await work() }
    } catch {
      call.succeed()
      return all(error.text)
    }
    var told: [String: Told] = [:]
    for open in requests.opens.settleAll() where open.entry.number >= first {
      let isAsked = opening.confirmations.isWaiting(open.request.id)
      opening.confirmations.cancel(open.request.id)
      for url in open.payload.urls {
        told[url] = Told(
          handler: open.receiver.failure == nil ? open.handler.text : "",
          isLink: open.payload.kind == .userActivity, isAsked: isAsked)
      }
      for wait in open.waits { wait.reply.fail(.failed("the test needs no answer")) }
    }
    if told.count == urls.count { return told }
    // The other opens have failed.
    switch try await answers.next() {
    case .failure(let error): return all(error.text)
    case .success(let values):
      for entry in values.first?.asOptionsList ?? [] {
        for url in entry[Key.documents]?.asStrings ?? [] where told[url] == nil {
          told[url] = Told(failure: entry[Key.message]?.asString)
        }
      }
      return told
    }
  }

  fileprivate func addRemote() throws {
    try registry.remotes.add(AgreementTests.laptop)
    try registry.remotes.choose(
      [URLScheme("x")!: .allow, URLScheme("sms")!: .deny], for: AgreementTests.laptop)
  }

  fileprivate func addAssociationFile() async throws {
    let path = folder + "/my.com.json"
    let applications = AgreementTests.names.map { "\"ABCDE12345.\($0)\"" }.joined(separator: ",")
    try #"{"applinks":{"details":[{"appIDs":[\#(applications)],"components":[{"/":"/a*"}]}]}}"#
      .write(toFile: path, atomically: true, encoding: .utf8)
    try await links(.setFile(domain: "my.com", path: path))
  }

  fileprivate func choose(_ choices: [String: LinkChoice]) async throws {
    for claim in registry.store.registry.linkEntries {
      let name = claim.application.identifier.text
      try await links(
        .choose(application: name, domain: "my.com", choice: choices[name]?.rawValue ?? ""))
    }
  }

  private func links(_ call: LinkCall) async throws {
    if case .later(let work) = try registry.links.answer(call, in: registry.store.registry) {
      _ = try await work()
    }
  }
}
