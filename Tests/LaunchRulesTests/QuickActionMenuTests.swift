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
}
