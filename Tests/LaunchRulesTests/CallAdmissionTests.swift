import Testing

@testable import LaunchRules

@Suite("Whether one more call may be queued") struct CallAdmissionTests {
  private let admission = CallAdmission(most: 32_000)

  @Test("A group leaves an eighth to others, and each group within it an eighth of the rest")
  func groups() {
    #expect(admission.hasRoom(ofGroups: [27_999], all: 27_999))
    #expect(!admission.hasRoom(ofGroups: [28_000], all: 28_000))
    #expect(admission.hasRoom(ofGroups: [27_000, 1], all: 27_000))
    #expect(!admission.hasRoom(ofGroups: [25_000, 25_000], all: 25_000))
    // Another caller of the same group, and one beside the group.
    #expect(admission.hasRoom(ofGroups: [25_000, 0], all: 25_000))
    #expect(admission.hasRoom(ofGroups: [0], all: 28_000))
    // What others use reduces the part of a group.
    #expect(!admission.hasRoom(ofGroups: [7000], all: 31_000))
    #expect(admission.hasRoom(ofGroups: [6999], all: 31_000))
  }

  @Test("Many processes below one parent leave room to each program beside it, however deep it is")
  func deep() {
    // The flood fills what the innermost common group of its processes may take.
    var most = 0
    let depth = 20
    while admission.hasRoom(ofGroups: .init(repeating: most, count: depth) + [0], all: most) {
      most += 100
    }
    #expect(most > 1000)
    for beside in 0..<depth {
      #expect(
        admission.hasRoom(ofGroups: .init(repeating: most, count: beside) + [0], all: most))
    }
  }

  @Test("A limit that is hardly used divides nothing") func few() {
    #expect(admission.hasRoom(ofGroups: .init(repeating: 1000, count: 60), all: 1000))
    #expect(!admission.hasRoom(ofGroups: .init(repeating: 1001, count: 60), all: 1001))
  }
}
