/// The caller's share of a limit that all callers have in common.
///
/// A caller with few entries keeps all of them; callers with many are cut to the same number.
enum FairShare {
  /// The greatest number per caller with which all callers together keep at most `total`.
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
