/// How many each caller may keep of what all of them share.
///
/// Who has little keeps all of it, whatever the others have; those who have much are cut to the same number.
enum FairShare {
  /// The greatest number that each may keep so that all of them together keep at most `total`.
  static func most(of counts: [Int], total: Int) -> Int {
    var rest = total
    for (place, count) in counts.sorted().enumerated() {
      let share = rest / (counts.count - place)
      if count > share { return share }
      rest -= count
    }
    return .max
  }
}
