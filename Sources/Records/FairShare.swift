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

extension FairShare {
  /// Requests by their callers, and by the groups that the callers belong to.
  ///
  /// The groups have equal shares, and within a group its own groups have equal shares of the share of the group. So a
  /// process gets no more for itself by starting further processes.
  struct Requests {
    private let all = Group()
    private var last: (origin: String, group: Group)?

    private final class Group {
      var groups: [Substring: Group] = [:]
      /// The requests of the caller itself, oldest first.
      var own: [Int64] = []
      var count = 0
      var newest: Int64 = 0
    }

    /// - Parameters:
    ///   - number: greater than those of earlier requests of this origin.
    ///   - origin: the groups of the caller, and the caller; one line each, outermost first.
    mutating func add(_ number: Int64, of origin: String) {
      let group = last?.origin == origin ? last?.group : nil
      let found = group ?? find(origin)
      found.own.append(number)
      last = (origin, found)
    }

    private func find(_ origin: String) -> Group {
      origin.split(separator: "\n").reduce(all) { group, name in
        let inner = group.groups[name] ?? Group()
        group.groups[name] = inner
        return inner
      }
    }

    /// The numbers of the requests that exceed the shares, so that at most `total` remain: the oldest of each caller.
    func surplus(over total: Int) -> [Int64] {
      Self.count(all)
      return Self.surplus(of: all, over: total)
    }

    private static func count(_ group: Group) {
      group.count = group.own.count
      group.newest = group.own.last ?? 0
      for inner in group.groups.values {
        count(inner)
        group.count += inner.count
        group.newest = max(group.newest, inner.newest)
      }
    }

    private static func surplus(of group: Group, over total: Int) -> [Int64] {
      guard group.count > total else { return [] }
      guard !group.groups.isEmpty else { return Array(group.own.dropLast(total)) }
      var parts = Array(group.groups.values)
      if let newest = group.own.last {
        let own = Group()
        (own.own, own.count, own.newest) = (group.own, group.own.count, newest)
        parts.append(own)
      }
      let most = FairShare.most(of: parts.map(\.count), total: total)
      if most > 0 { return parts.flatMap { surplus(of: $0, over: most) } }
      // More parts than places: one request of each of the parts that had one last.
      return parts.sorted { $0.newest > $1.newest }.enumerated().flatMap { place, part in
        surplus(of: part, over: place < total ? 1 : 0)
      }
    }
  }
}
