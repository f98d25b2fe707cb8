/// Divides a limited number of places between groups of callers that contain each other, such as the descendants of a
/// process and those of its parent.
///
/// Each group leaves a part of what is free to the others of the group around it. So what one process and its descendants
/// use up leaves something to every program beside them, at whichever of their common ancestors they part.
enum NestedShares {
  /// A group that has no place for more.
  struct Full: Equatable {
    let used: Int
    /// The places that the group may use, because of what the others use.
    let places: Int
  }

  /// - Parameters:
  ///   - more: the number of places that are wanted. A group that has none may always take them.
  ///   - groups: the number of used places of each group that the caller belongs to, outermost first.
  ///   - all: the number of used places of all callers.
  ///   - most: the number of places.
  ///   - places: the number of places of a group, of those that the others of the group around it leave free.
  /// - Returns: the outermost group without room; nil when every group has room.
  static func full(
    adding more: Int = 1, to groups: [Int], all: Int, most: Int, places: (_ free: Int) -> Int
  ) -> Full? {
    var (outer, used) = (most, all)
    for group in groups {
      outer = places(outer - (used - group))
      used = group
      if group > 0, group + more > outer { return Full(used: group, places: outer) }
    }
    return nil
  }
}
