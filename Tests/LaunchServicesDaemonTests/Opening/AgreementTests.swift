import BusContract
import DBus
import DBusMainLoop
import Foundation
import Host
import LaunchRules
import Records
import SeededRandom
import Testing

@testable import CallerIdentity
@testable import LaunchServicesDaemon

/// What `Explain` tells and what `OpenURL` and `OpenDocuments` do, for random registries, callers and options.
@MainActor @Suite("Explanations and opens", .timeLimit(.minutes(10)))
struct AgreementTests {
  private static let names = ["a", "b", "c", "d.desktop"]
  private static let schemes = ["x", "tel", "mailto", "https", "sms"]

  @Test("name the same application, or the same failure", arguments: 0..<20 as Range<UInt64>)
  func agree(seed: UInt64) async throws {
    let world = try await DaemonWorld()
    let opener = world.opener()
    let path = world.folder + "/a.txt"
    try "text".write(toFile: path, atomically: true, encoding: .utf8)
    var random = SplitMix64(seed: seed)
    var (opened, failed) = (0, 0)
    for number in 0..<100 {
      world.registry.store.replaceDesktopApplications(Self.records(&random))
      var facts = DaemonWorld.facts(7, hops: Self.hops(&random))
      facts.finding = Self.findings.randomElement(using: &random) ?? .program
      let caller = IdentifiedCaller(Self.caller(&random), on: SocketPair.name, facts)
      let options = Self.options(&random)
      let urls = Self.urls + ["file://" + path, "file:///nowhere/x"]
      let url = urls.randomElement(using: &random) ?? path
      let what: Comment = "seed \(seed), \(number): \(url) \(options) of \(caller.caller)"
      let explained = await world.explained(url, options, caller)
      let act = try await world.act(url, options, caller, opener)
      if act.failure == nil { opened += 1 } else { failed += 1 }
      let isHidden =
        world.registry.store.registry.sandboxed(caller.caller) != nil && explained.handler == ""
        && explained.failure == nil
      if !isHidden { #expect(explained == act, what) }
    }
    #expect(opened > 10 && failed > 10, "seed \(seed): \(opened) \(failed)")
  }

  /// A URL that has passed the desktop bridge, for an opener in four.
  private static func hops(_ random: inout SplitMix64) -> BridgeHops? {
    guard Int.random(in: 0..<4, using: &random) == 0,
      let scheme = schemes.randomElement(using: &random).flatMap(URLScheme.init)
    else { return nil }
    return BridgeHops(scheme, count: Int.random(in: 1...BridgeHops.most, using: &random))
  }

  private static let findings: [WebOrigin.Finding] = [.program, .browser, .possible(.portal)]

  private static let urls = [
    "x:1", "X:2", "tel:1", "tel:*1#", "mailto:a@b.example", "mailto:nobody", "sms:1", "sms:abc",
    "https://my.com/a", "https://other.com:1/", "nobody:1", "no URL", "about:blank",
  ]

  private static func caller(_ random: inout SplitMix64) -> Caller {
    let name = BundleIdentifier(names.randomElement(using: &random)!)!
    return switch Int.random(in: 0..<5, using: &random) {
    case 0: .application(name, .executable)
    case 1: .orphan(isSandboxed: true)
    case 2: .orphan(isSandboxed: false)
    default: .unidentified
    }
  }

  private static func options(_ random: inout SplitMix64) -> OpenOptions {
    var options = OpenOptions()
    func isSet(_ random: inout SplitMix64) -> Bool { Int.random(in: 0..<4, using: &random) == 0 }
    if isSet(&random) { options.actAs = (names + ["nosuch"]).randomElement(using: &random) }
    if isSet(&random) { options.application = (names + ["nosuch"]).randomElement(using: &random) }
    options.ownApplication = Int.random(in: 0..<8, using: &random) == 0
    options.isLink = isSet(&random)
    options.isLegacy = isSet(&random)
    options.universalLinksOnly = isSet(&random)
    return options
  }

  private static func records(_ random: inout SplitMix64) -> [ApplicationRecord] {
    names.filter { _ in Int.random(in: 0..<5, using: &random) > 0 }.map { name in
      let claims = schemes.filter { _ in Bool.random(using: &random) }.compactMap(URLScheme.init)
      let isSystem = Int.random(in: 0..<4, using: &random) == 0
      let isBridge = Bool.random(using: &random) && isSystem
      var declaration = ApplicationDeclaration(
        identifier: BundleIdentifier(name)!,
        program: .arguments([isBridge ? DesktopBridge.program : "/usr/bin/true"]),
        urlTypes: [URLTypeDeclaration(schemes: claims)],
        platform: Bool.random(using: &random) ? .iOS : .macOS,
        linkedSDK: LinkedSDK([9, 12, 18, 26].randomElement(using: &random)!),
        webHosts: Bool.random(using: &random) ? [WebHost("my.com")].compactMap(\.self) : [])
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
  var failure: String?
}

extension DaemonWorld {
  fileprivate struct Opener {
    let urls: OpenService
    let documents: DocumentOpenService
  }

  fileprivate func opener() -> Opener {
    let lookup = RequestLookup(
      registry.store, requests.store, requests.opens, requests.history, coordinator)
    let urls = OpenService(
      limits: OpenLimits(), store: registry.store, decider: opening.decider,
      confirmations: opening.confirmations, quickActions: registry.quickActions,
      opens: requests.opens, requestLookup: lookup, history: requests.history,
      coordinator: coordinator
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
        ? try await explainer().explainDocument(url, query, caller)
        : try explainer().explain(url, query, caller)
      let last = steps(told).last { $0.hasPrefix("open: fails: ") }
      return Told(
        handler: told["handler"]?.asString ?? "",
        failure: last.map { String($0.dropFirst("open: fails: ".count)) })
    } catch {
      return Told(failure: error.text)
    }
  }

  fileprivate func act(
    _ url: String, _ options: OpenOptions, _ caller: IdentifiedCaller, _ opener: Opener
  ) async throws -> Told {
    let answers = EventStream<Told>()
    let call = try await sockets.call(MessageBus.nameOwner(Contract.busName)) { answer in
      if case .failure(let error) = answer { answers.add(Told(failure: error.text)) }
    }
    let first = requests.opens.nextRequest().number + 1
    do throws(BusError) {
      let reply =
        url.hasPrefix("file:")
        ? try opener.documents.open([url], options, caller, call, isSingle: true)
        : try opener.urls.openURL(url, options, caller, call)
      if case .pendingAfter(let work) = reply { try await work() }
    } catch {
      call.succeed()
      return Told(failure: error.text)
    }
    for open in requests.opens.settleAll() where open.entry.number >= first {
      kept.append(call)
      return Told(handler: open.handler.text)
    }
    // The open has failed already.
    return try await answers.next()
  }
}
