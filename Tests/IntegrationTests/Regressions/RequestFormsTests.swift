import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

/// One request-id, first for `OpenDocuments` and then for a call that opens one thing, or the other way round: the same
/// file was delivered twice, with two receipts that said so.
@MainActor @Suite("Regression: one request-id in two forms of calls", .timeLimit(.minutes(30)))
struct RequestFormsTests {
  enum Form: CaseIterable, Sendable { case documents, document, url, application }

  private static let claim: PropertyListValue = [
    ["LSItemContentTypes": ["public.plain-text"]]
  ]

  private func call(_ form: Form, _ world: Testbed) async throws(Refusal) {
    let file = "file://\(world.folder)/a.txt"
    var options = OpenOptions()
    options.requestID = "the-one"
    let message =
      switch form {
      case .documents: Contract.openDocuments([file], options)
      case .document: Contract.openURL(file, options)
      case .url: Contract.openURL("photos:1", options)
      case .application: Contract.openApplication("com.example.photos", options)
      }
    _ = try await world.client.call(message)
  }

  nonisolated private static var pairs: [(Form, Form)] {
    Form.allCases.flatMap { first in
      Form.allCases.filter { ($0 == .documents) != (first == .documents) }.map { (first, $0) }
    }
  }

  @Test("is refused the second time, also by the next daemon", arguments: pairs)
  func refused(_ first: Form, _ second: Form) async throws {
    try await Testbed.run { world in
      try "text".write(toFile: world.folder + "/a.txt", atomically: true, encoding: .utf8)
      try await world.install("com.example.photos", schemes: ["photos"]) {
        $0.otherKeys["CFBundleDocumentTypes"] = Self.claim
      }
      try await call(first, world)
      for isAfterRestart in [false, true] {
        if isAfterRestart {
          try await world.stopDaemon()
          try await world.startDaemon()
        }
        let refusal = await #expect(throws: Refusal.self) { try await call(second, world) }
        #expect(
          refusal?.text == "option 'request-id': it was used before, for another request")
      }
      // The first form goes on to be answered with the first result.
      try await call(first, world)
    }
  }
}
