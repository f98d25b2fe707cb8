import SeededRandom
import Testing

@testable import LaunchRules

@Suite("Whether one more connection may be told of events") struct WatchAdmissionTests {
  private func refusal(
    ofCaller: Int = 0, ofGroups: [Int] = [], all: Int, most: Int = 32
  ) -> String? {
    WatchAdmission(most: most).refusal(ofCaller: ofCaller, ofGroups: ofGroups, all: all)?.sentence
  }

  @Test("A caller has an eighth of the places") func share() {
    #expect(refusal(all: 0) == nil)
    #expect(refusal(ofCaller: 3, ofGroups: [3], all: 3) == nil)
    #expect(
      refusal(ofCaller: 4, ofGroups: [4], all: 4)
        == "4 connections of this caller are subscribed already, an eighth of the limit of 32:"
        + " close some of these connections"
    )
    #expect(refusal(all: 0, most: 1) == nil)
  }

  @Test("A group leaves a quarter to others, and each further group leaves a quarter of the rest")
  func groups() {
    #expect(refusal(ofGroups: [23], all: 23) == nil)
    #expect(
      refusal(ofGroups: [24], all: 24)
        == "24 connections of this caller and of others of one application, unit or parent process are"
        + " subscribed already, and the other programs of the user leave 24 of the limit of 32 for them:"
        + " close some of these connections")
    // The others have 24.
    #expect(refusal(ofGroups: [6], all: 30) == nil)
    #expect(refusal(ofGroups: [7], all: 31) != nil)
    #expect(refusal(ofGroups: [0], all: 30) == nil)
    #expect(
      refusal(ofGroups: [0], all: 32)
        == "32 connections are subscribed already, which is the limit: try again after some have closed"
    )
  }

  @Test("Within a group its own groups leave places to each other") func nested() {
    // The children of one process, which may have 24.
    #expect(refusal(ofGroups: [17, 17], all: 17) == nil)
    #expect(refusal(ofGroups: [18, 18], all: 18) != nil)
    #expect(refusal(ofGroups: [18, 0], all: 18) == nil)
    #expect(refusal(ofGroups: [22, 7], all: 22) == nil)
    #expect(refusal(ofGroups: [22, 8], all: 22) != nil)
    // However deep it is.
    let deep = [Int](repeating: 3, count: 60)
    #expect(refusal(ofGroups: deep, all: 3) == nil)
    #expect(refusal(ofGroups: deep.map { $0 + 1 }, all: 4) != nil)
  }

  @Test(
    "Whatever a process and its descendants do, a program beside them may subscribe",
    arguments: [0, 1, 4, 16])
  func anotherProgram(sharedParents: Int) {
    let admission = WatchAdmission(most: 128)
    let parents = [Int](repeating: 0, count: sharedParents)
    for seed in 1...3 as ClosedRange<UInt64> {
      var random = SplitMix64(seed: seed)
      // A shell, a process below, and what that process starts: a tree of up to four further levels.
      var subscribed: [[Int]] = []
      func count(_ group: ArraySlice<Int>) -> Int {
        subscribed.count { $0.count >= group.count && $0[group.indices] == group }
      }
      func mayAdd(_ path: [Int]) -> Bool {
        admission.refusal(
          ofCaller: count(path[...]), ofGroups: path.indices.dropLast().map { count(path[...$0]) },
          all: subscribed.count) == nil
      }
      for _ in 0..<1000 {
        let depth = Int.random(in: 0...4, using: &random)
        let path = parents + [0] + (0...depth).map { _ in Int.random(in: 0..<40, using: &random) }
        if mayAdd(path) { subscribed.append(path) }
      }
      #expect(subscribed.count >= (sharedParents < 2 ? 60 : 8), "seed \(seed)")
      for level in 0...sharedParents {
        let beside = [Int](repeating: 0, count: level) + [1, 0]
        #expect(mayAdd(beside), "seed \(seed): \(subscribed.count), level \(level)")
      }
    }
  }
}
