import Foundation
import Glibc
import Host
import Testing

@testable import CallerIdentity

@Suite("Questions to launchservices-processes", .timeLimit(.minutes(30)))
struct ProcessLookupTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/lookup-\(UUID().uuidString)"
  private var path: String { folder + "/socket" }
  private let own: ProcessDetails

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    own = try #require(ProcessDetails(of: getpid()))
  }

  /// - Parameter unit: the unit of the process that listens.
  private func answer(_ unit: String?) async -> ProcessLookup.Answer {
    let lookup = ProcessLookup(
      socket: path, patience: .seconds(60),
      Journal(program: "lookup-tests", environment: [:], descriptor: -1))
    lookup.unitOfProcess = { [own] in $0.pid == own.pid ? unit : nil }
    let answer = await withCheckedContinuation { continuation in
      lookup.ask(about: own) { continuation.resume(returning: $0) }
    }
    withExtendedLifetime(lookup) {}
    return answer
  }

  private func reason(_ answer: ProcessLookup.Answer) -> String? {
    if case .failure(let failure) = answer { failure.reason } else { nil }
  }

  @Test("The process of the unit answers") func answers() async throws {
    let socket = try AnsweringSocket(path: path) {
      ProcessQuestion.answer($0, variables: [], ProcessSurvey())
    }
    guard case .success(.evidence(let evidence)) = await answer(ProcessLookup.unit) else {
      Issue.record("there is no evidence")
      return
    }
    #expect(evidence.executable == own.executable)
    withExtendedLifetime(socket) {}
  }

  @Test("A process outside of the unit is asked nothing", arguments: ["evil.service", nil])
  func impostor(_ unit: String?) async throws {
    var questions = 0
    let socket = try AnsweringSocket(path: path) { _ in
      questions += 1
      return [0]
    }
    let reason = try #require(reason(await answer(unit)))
    #expect(reason.contains("the process that listens at \(path) is not in this unit"))
    #expect(questions == 0)
    withExtendedLifetime(socket) {}
  }

  @Test("Without a socket the answer says what to look at") func noSocket() async throws {
    let reason = try #require(reason(await answer(ProcessLookup.unit)))
    #expect(reason.contains("No such file or directory"))
    #expect(reason.contains("systemctl --user status launchservices-processes.service"))
  }

  @Test("What is no answer is a failure") func noAnswer() async throws {
    let socket = try AnsweringSocket(path: path) { _ in [99] }
    #expect(
      try #require(reason(await answer(ProcessLookup.unit))).contains("it does not answer"))
    withExtendedLifetime(socket) {}
  }
}
