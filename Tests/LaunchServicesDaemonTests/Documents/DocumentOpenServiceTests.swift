import BusContract
import DBus
import DBusMainLoop
import DaemonSettings
import Foundation
import LaunchRules
import Testing

@testable import CallerIdentity
@testable import LaunchServicesDaemon

@MainActor @Suite("Opens of documents", .timeLimit(.minutes(30)))
struct DocumentOpenServiceTests {
  /// A world where photos opens text files, with these files.
  private func world(_ names: String...) async throws -> DaemonWorld {
    let world = try await DaemonWorld(keys: DocumentResolverTests.claim)
    for name in names {
      try "text".write(toFile: world.folder + "/" + name, atomically: true, encoding: .utf8)
    }
    world.hearDocuments()
    return world
  }

  @Test("Documents of one application are one delivery, in their order; a missing one fails alone")
  func together() async throws {
    let world = try await world("a.txt", "b.txt")
    let answers = try await world.openDocuments(["b.txt", "none.txt", "a.txt"])
    _ = try await world.launch()
    #expect(try await world.heard.next() == "b.txt a.txt")
    #expect(try await answers.next() == "b.txt a.txt delivered; none.txt NoSuchFile")
    #expect(
      try await world.recorded().sorted()
        == [
          "file://\(world.folder)/b.txt and 1 more delivered",
          "file://\(world.folder)/none.txt NoSuchFile",
        ].sorted())
  }

  @Test("An application that claims the scheme file receives each document separately")
  func separately() async throws {
    let world = try await DaemonWorld(
      keys: "<key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key>"
        + "<array><string>file</string></array></dict></array>")
    try await world.claimFiles()
    for name in ["a.txt", "b.txt"] {
      try "text".write(toFile: world.folder + "/" + name, atomically: true, encoding: .utf8)
    }
    world.hearDocuments()
    let answers = try await world.openDocuments(["a.txt", "b.txt"])
    let id = try await world.ordered()
    #expect(id.slot.application.text == "com.example.viewer")
    try await world.checkIn(id)
    world.finish(id)
    #expect(try await world.heard.next() == "a.txt")
    #expect(try await world.heard.next() == "b.txt")
    #expect(try await answers.next() == "a.txt delivered; b.txt delivered")
  }

  @Test("A call with the same request-id gets the same receipt, and nothing is delivered again")
  func repeated() async throws {
    let world = try await world("a.txt", "b.txt")
    let first = try await world.openDocuments(["a.txt", "b.txt"], requestID: "one")
    _ = try await world.launch()
    #expect(try await first.next() == "a.txt b.txt delivered")
    #expect(try await world.heard.next() == "a.txt b.txt")
    let second = try await world.openDocuments(["a.txt", "b.txt"], requestID: "one")
    #expect(try await second.next() == "a.txt b.txt delivered")
    // What is delivered next is the next call: there was no other delivery before it.
    _ = try await world.openDocuments(["b.txt"])
    #expect(try await world.heard.next() == "b.txt")
    let error = await #expect(throws: BusError.self) {
      try await world.openDocuments(["b.txt"], requestID: "one")
    }
    #expect(error?.name == BusError.invalidArguments("").name)
  }

  @Test("A request-id of two documents is not that of one URL with a line break between the two")
  func lineBreak() async throws {
    let world = try await world("a.txt", "b.txt")
    let first = try await world.openDocuments(["a.txt", "b.txt"], requestID: "one")
    _ = try await world.launch()
    #expect(try await first.next() == "a.txt b.txt delivered")
    let error = await #expect(throws: BusError.self) {
      try await world.openDocuments(["a.txt\nfile://\(world.folder)/b.txt"], requestID: "one")
    }
    #expect(error?.name == BusError.invalidArguments("").name)
  }

  @Test("A request-id that looks like that of the sixth document is not a part of a call with one")
  func partName() async throws {
    let world = try await world("a.txt")
    let single = try await world.openDocuments(["a.txt"], requestID: "one#5", isSingle: true)
    _ = try await world.launch()
    #expect(try await single.next() == "a.txt delivered")
    let error = await #expect(throws: BusError.self) {
      try await world.openDocuments(["a.txt"], requestID: "one")
    }
    #expect(error?.name == BusError.invalidArguments("").name)
  }

  @Test("A call without documents is refused") func none() async throws {
    let world = try await world()
    let error = await #expect(throws: BusError.self) { try await world.openDocuments([]) }
    #expect(error == .invalidArguments("urls: there is none"))
  }

  @Test("OpenURL of a file has one receipt, or one error") func single() async throws {
    let world = try await world("a.txt")
    let answers = try await world.openDocuments(["a.txt"], isSingle: true)
    _ = try await world.launch()
    #expect(try await answers.next() == "a.txt delivered")
    let missing = try await world.openDocuments(["none.txt"], isSingle: true)
    #expect(try await missing.next() == "NoSuchFile")
  }
}

extension DaemonWorld {
  private var documentOpens: DocumentOpenService {
    let service = OpenService(
      limits: OpenLimits(), store: registry.store, decider: opening.decider,
      confirmations: opening.confirmations, quickActions: registry.quickActions,
      opens: requests.opens, requestLookup: lookup, history: requests.history,
      coordinator: coordinator, hasDisplay: false
    ) { _ in true }
    return DocumentOpenService(
      store: registry.store, documents: registry.documents, decider: opening.decider,
      opens: requests.opens, requests: requests.store, history: requests.history,
      service: service, coordinator: coordinator)
  }

  /// Opens files of the folder of the world.
  /// - Returns: the answer, which comes when all documents have their fates.
  func openDocuments(
    _ names: [String], requestID: String? = nil, isSingle: Bool = false
  ) async throws -> EventStream<String> {
    let answers = EventStream<String>()
    let call = try await sockets.call(MessageBus.nameOwner(Contract.busName)) { answer in
      switch answer {
      case .success(let values):
        let entries = values.first?.asOptionsList ?? [values.first?.asOptions ?? [:]]
        answers.add(entries.map(Self.text).joined(separator: "; "))
      case .failure(let error): answers.add(Contract.shortName(of: error))
      }
    }
    kept.append(call)
    var options = OpenOptions()
    options.requestID = requestID
    let reply = try documentOpens.open(
      names.map { "file://\(folder)/\($0)" }, options, Self.caller(), call, isSingle: isSingle)
    guard case .pendingAfter(let work) = reply else {
      Issue.record("the files were not looked at")
      return answers
    }
    try await work()
    return answers
  }

  private static func text(_ entry: Options) -> String {
    let documents = entry[Key.documents]?.asStrings ?? []
    let fate = entry[Key.delivery]?.asString ?? entry[Key.error]?.asString ?? "?"
    return (documents.map(lastPart) + [fate]).joined(separator: " ")
  }

  private static func lastPart(_ url: String) -> String {
    url.split(separator: "/").last.map(String.init) ?? ""
  }

  /// Lets the application accept all URLs of a delivery; `heard` gets their last parts.
  func hearDocuments() {
    sockets.other.onCall = { [heard] call in
      guard call.member == "OpenURLs", case .array(_, let contexts) = call.arguments().first else {
        return call.succeed()
      }
      let urls = contexts.map { context in
        if case .structure(let fields) = context { fields.first?.asString ?? "?" } else { "?" }
      }
      heard.add(urls.map(Self.lastPart).joined(separator: " "))
      call.succeed([.booleans(urls.map { _ in true })])
    }
  }

  /// Installs an application that claims the scheme `file`.
  func claimFiles() async throws {
    try install("viewer", schemes: ["file"])
    await registry.store.reload()
  }
}
