import LaunchRules
import Testing

@Suite struct QuickActionMenuTests {
  static let vectors: [(Int, Int, [Int])] = [
    (0, 0, []), (0, 5, [100, 101, 102, 103]), (2, 1, [0, 1, 100]), (3, 3, [0, 1, 2, 100]),
    (5, 2, [0, 1, 2, 3]),
  ]

  @Test("R1.40 static ones first, then dynamic ones, four at most", arguments: vectors)
  func shown(fixed: Int, dynamic: Int, shown: [Int]) {
    let menu = QuickActionMenu.shown(
      static: Array(0..<fixed), dynamic: (0..<dynamic).map { $0 + 100 })
    #expect(menu == shown)
  }

  @Test("Quick actions are equal when all that they say is equal") func equality() {
    let action = QuickAction(
      type: "t", title: "T", subtitle: "S", icon: "I", userInfo: ["a": .string("b")])
    func changed(_ change: (inout QuickAction) -> Void) -> QuickAction {
      var other = action
      change(&other)
      return other
    }
    #expect(changed { _ in } == action)
    #expect(changed { $0.type = "u" } != action)
    #expect(changed { $0.title = "U" } != action)
    #expect(changed { $0.subtitle = nil } != action)
    #expect(changed { $0.icon = nil } != action)
    #expect(changed { $0.userInfo = [:] } != action)
  }
}
