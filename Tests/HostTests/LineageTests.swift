import Foundation
import Glibc
import Testing

@testable import Host

/// What a process descends from, while others end.
@MainActor @Suite("The lineage of a process", .timeLimit(.minutes(30))) struct LineageTests {
  /// Processes that a test makes up: the parents, as they are each time that they are asked for.
  private final class Processes {
    /// The last one stands for all that follow.
    var parents: [Int32: [Int32]]
    var hidden: Set<Int32> = []
    var others: Set<Int32> = []
    private(set) var asked = 0

    init(_ parents: [Int32: [Int32]]) { self.parents = parents }

    var kernel: Lineage.Kernel {
      Lineage.Kernel(
        details: { [self] pid in
          guard !hidden.contains(pid), !others.contains(pid) else { return nil }
          return parent(of: pid).map { .madeUp(pid, parent: $0) }
        }, parent: { [self] in parent(of: $0.pid) },
        isOurs: { [self] in !others.contains($0) })
    }

    private func parent(of pid: Int32) -> Int32? {
      asked += 1
      guard let parents = parents[pid], let first = parents.first else { return nil }
      if parents.count > 1 { self.parents[pid]?.removeFirst() }
      return first
    }
  }

  private func read(_ processes: Processes) throws(Lineage.Problem) -> [Int32] {
    try Lineage.read(of: .madeUp(9, parent: 0), processes.kernel).map(\.pid)
  }

  @Test("ends where the kernel shows no more") func whole() throws {
    #expect(try read(Processes([9: [5], 5: [1], 1: [0]])) == [9, 5, 1])
  }

  @Test("A parent that ends while it is read is no end of it: all is read again") func parentEnds()
    throws
  {
    // 5 has gone when it is looked for, and 9 is a child of 3 from then on.
    #expect(try read(Processes([9: [5, 3], 3: [1], 1: [0]])) == [9, 3, 1])
  }

  @Test("A number that was used again is not the parent") func usedAgain() throws {
    // When 5 is read it is another process already, a child of nobody.
    #expect(try read(Processes([9: [5, 3], 5: [0], 3: [1], 1: [0]])) == [9, 3, 1])
  }

  @Test("Parents that end one after another make it unknown, after some attempts") func changing() {
    let processes = Processes([9: (0..<1000).map { 10 + $0 }])
    #expect(throws: Lineage.Problem.changing) { try read(processes) }
    #expect(processes.asked < 100)
  }

  @Test("A process that has gone has none") func gone() {
    #expect(throws: Lineage.Problem.gone) { try read(Processes([:])) }
  }

  @Test("Too many are as many as cannot be known") func tooLong() {
    var parents: [Int32: [Int32]] = [9: [1001]]
    for pid in Int32(1001)...2000 { parents[pid] = [pid + 1] }
    #expect(throws: Lineage.Problem.tooLong) { try read(Processes(parents)) }
  }

  @Test("A parent of this user that is not shown makes it unknown; of another it is the end")
  func hidden() throws {
    let processes = Processes([9: [5], 5: [1], 1: [0]])
    processes.hidden = [5]
    #expect(throws: Lineage.Problem.hidden(5)) { try read(processes) }
    processes.others = [5]
    #expect(try read(processes) == [9])
  }

  @Test("of a real process holds its parents, nearest first") func real() throws {
    let (child, pid) = try nested(1)
    defer { child.signalGroup(SIGKILL) }
    let lineage = try #require(ProcessDetails(of: pid)).lineage()
    #expect(lineage.first?.pid == pid)
    let pids = lineage.map(\.pid)
    let own = try #require(pids.firstIndex(of: getpid()))
    #expect(pids[own - 1] == child.pid)
    #expect(lineage.last?.parent == 0)
  }

  @Test("is whole, however deep the processes are nested", arguments: [70, 200])
  func deep(_ depth: Int) throws {
    let (child, pid) = try nested(depth)
    defer { child.signalGroup(SIGKILL) }
    let lineage = try #require(ProcessDetails(of: pid)).lineage().map(\.pid)
    #expect(lineage.contains(getpid()))
    #expect((lineage.firstIndex(of: child.pid) ?? 0) >= depth)
  }

  @Test("Nobody is kept waiting for more than can be") func tooDeep() throws {
    let (child, pid) = try nested(Lineage.longest + 1)
    defer { child.signalGroup(SIGKILL) }
    #expect(throws: Lineage.Problem.tooLong) {
      try #require(ProcessDetails(of: pid)).lineage()
    }
  }

  /// A process below so many shells, and the first of these.
  private func nested(_ depth: Int) throws -> (first: ChildProcess, last: Int32) {
    let script =
      #"if [ $1 -gt 0 ]; then sh -c "$NESTED" sh $(($1 - 1)); else echo $$; sleep 100; fi; :"#
    var launch = shell(script, "\(depth)")
    launch.environment["NESTED"] = script
    let pipe = Pipe()
    launch.standardOutput = .descriptor(pipe.fileHandleForWriting.fileDescriptor)
    let child = try ChildProcess(launch) { _ in }
    let line = pipe.fileHandleForReading.availableData
    return (child, try #require(Int32(String(decoding: line.dropLast(), as: UTF8.self))))
  }
}

extension ProcessDetails {
  fileprivate static func madeUp(_ pid: Int32, parent: Int32) -> ProcessDetails {
    ProcessDetails(pid: pid, parent: parent)
  }
}
