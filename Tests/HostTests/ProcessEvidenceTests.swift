import Foundation
import Glibc
import LaunchRules
import Testing

@testable import Host

/// What one process asks another one about a third.
@MainActor @Suite(.timeLimit(.minutes(30))) struct ProcessEvidenceTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/asked-\(UUID().uuidString)"
  private var path: String { folder + "/socket" }

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private func ask(
    _ question: [UInt8], within patience: Duration = .seconds(300), isTrusted: Bool = true
  ) async throws -> [UInt8]? {
    var asked: LocalSocketQuery?
    defer { withExtendedLifetime(asked) {} }
    return try await withCheckedThrowingContinuation { continuation in
      do throws(Errno) {
        asked = try LocalSocketQuery(
          question, at: path, atMost: ProcessQuestion.largestAnswer, within: patience,
          isTrusted: { $0 == getpid() && isTrusted }
        ) { continuation.resume(returning: $0) }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  @Test("The answer is what the kernel says") func answer() async throws {
    let own = try #require(ProcessDetails(of: getpid()))
    let survey = ProcessSurvey()
    let socket = try AnsweringSocket(path: path) {
      ProcessQuestion.answer($0, variables: ["PATH"], survey)
    }
    let answer = try await ask(ProcessQuestion.bytes(about: own))
    guard case .evidence(let evidence)? = answer.flatMap(ProcessQuestion.read) else {
      Issue.record("there is no evidence in \(answer ?? [])")
      return
    }
    #expect(
      evidence
        == ProcessEvidence(
          reading: try own.lineage(), variables: ["PATH"],
          start: survey.start(of: try own.lineage())))
    #expect(evidence.executable == own.executable)
    #expect(evidence.variables.keys.elementsEqual(["PATH"]))
    withExtendedLifetime(socket) {}
  }

  @Test("A process of another start time is none") func reusedNumber() async throws {
    let answer = ProcessQuestion.answer(Array("\(getpid()) 1".utf8), variables: [], ProcessSurvey())
    #expect(answer.flatMap(ProcessQuestion.read) == .noProcess)
  }

  @Test("What is no question gets no answer", arguments: ["", "x", "1", "1 2 3", "-1 x"])
  func noQuestion(_ text: String) {
    #expect(ProcessQuestion.answer(Array(text.utf8), variables: [], ProcessSurvey()) == nil)
  }

  @Test("Every field survives") func fields() throws {
    var evidence = ProcessEvidence()
    evidence.executable = .init(
      path: "/a b/ä=\n", identity: FileIdentity(device: .max, inode: 7), isDeleted: true)
    evidence.programs = ["one", "", "two words"]
    evidence.variables = ["EMPTY": "", "GIVEN": "a=b"]
    evidence.flatpakFile = [0, 255, 10]
    for start in [.terminal, .adopted(among: []), .adopted(among: ["", "a b"]), .unknown]
      as [WebOrigin.Start]
    {
      evidence.start = start
      #expect(ProcessEvidence(bytes: evidence.bytes) == evidence)
    }
    #expect(ProcessEvidence(bytes: []) == ProcessEvidence())
  }

  @Test("What was cut short is no answer, wherever it was") func cutShort() {
    var evidence = ProcessEvidence()
    evidence.programs = ["program"]
    for count in 1..<evidence.bytes.count {
      #expect(ProcessEvidence(bytes: Array(evidence.bytes.prefix(count))) == nil)
    }
    #expect(ProcessQuestion.read(answer: []) == nil)
    #expect(ProcessQuestion.read(answer: [2]) == nil)
    #expect(ProcessQuestion.read(answer: [3, 0]) == nil)
    #expect(ProcessQuestion.read(answer: [0, 0]) == nil)
    #expect(ProcessQuestion.read(answer: [2] + Array("why".utf8)) == .unreadable("why"))
  }

  @Test("Who does not answer is waited for only so long, however many ask") func silence()
    async throws
  {
    // Nobody ever takes a connection from its queue.
    let listener = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
    defer { close(listener) }
    guard var address = sockaddr_un(path: path) else { throw Errno(ENAMETOOLONG) }
    let isListening = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    #expect(isListening == 0 && listen(listener, 2) == 0)
    #expect(try await ask([1], within: .milliseconds(1)) == nil)
    var asked: [LocalSocketQuery] = []
    #expect(throws: Errno.wouldWait) {
      while asked.count < 10 {
        asked.append(
          try LocalSocketQuery([1], at: path, atMost: 1, within: .seconds(20)) { _ in
            true
          } completion: { _ in
          })
      }
    }
  }

  @Test("A stranger is not asked") func stranger() async throws {
    let socket = try AnsweringSocket(path: path) { _ in [1] }
    await #expect(throws: Errno.notPermitted) { try await ask([1], isTrusted: false) }
    withExtendedLifetime(socket) {}
  }

  @Test("Connections that ask nothing keep nobody from asking") func idle() async throws {
    let socket = try AnsweringSocket(path: path) { $0 }
    var idle: [LocalSocketQuery] = []
    for _ in 0..<100 {
      // An empty datagram is no question.
      if let question = try? LocalSocketQuery(
        [], at: path, atMost: 1, within: .seconds(20), isTrusted: { _ in true },
        completion: { _ in })
      {
        idle.append(question)
      }
      #expect(try await ask([7]) == [7])
    }
    withExtendedLifetime((socket, idle)) {}
  }
}
