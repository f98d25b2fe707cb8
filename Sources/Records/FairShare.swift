/// A caller's share of a limit for all callers together.
///
/// Callers with few entries keep all of them; callers with many entries are cut to the same number.
enum FairShare {
  /// The maximum number per caller such that all callers together keep at most `total`.
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
