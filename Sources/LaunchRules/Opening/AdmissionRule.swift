/// Decides whether one more open may be queued.
///
/// There are limits per caller. A limit per application keeps the opens for a hanging application from using the whole
/// capacity. Of each capacity, every group of callers leaves a part to the other programs beside the group, as
/// `NestedShares` says, so that a process with all its descendants refuses no other program. The last of the capacity is
/// reserved for small opens of callers without pending opens.
package struct AdmissionRule: Sendable {
  /// The resources that opens use.
  package struct Load: Hashable, Sendable {
    package var opens: Int
    package var bytes: Int
    /// Number of opens that hold descriptors for a process to be started.
    package var withStreams: Int

    package init(opens: Int = 0, bytes: Int = 0, withStreams: Int = 0) {
      self.opens = opens
      self.bytes = bytes
      self.withStreams = withStreams
    }

    package static let none = Load()
  }

  /// The resources used by pending opens.
  package struct UnderWay: Sendable {
    package var ofCaller = Load.none
    /// The load of each group that the caller belongs to, outermost first.
    package var ofGroups: [Load] = []
    /// The load of all processes whose parents have ended; nil for a caller that is none of them.
    package var ofOrphans: Load?
    /// Number of opens of this caller for this application.
    package var ofCallerForHandler = 0
    /// The load for this application of each group that the caller belongs to, outermost first.
    package var ofGroupsForHandler: [Load] = []
    package var forHandler = Load.none
    package var all = Load.none
    package init() {}
  }

  /// `MaximumOpensPerCaller` of the settings.
  private let mostOpens: Int
  /// `MaximumQueueLength`.
  private let longestQueue: Int
  /// `MaximumPendingBytes`.
  private let mostBytes: Int

  package init(mostOpens: Int, longestQueue: Int, mostBytes: Int) {
    self.mostOpens = mostOpens
    self.longestQueue = longestQueue
    self.mostBytes = mostBytes
  }

  /// Maximum number of opens that hold standard streams, which use scarce descriptors.
  package static let mostWithStreams = 64
  /// Maximum size of a small open, in bytes.
  package static let little = 16 << 10

  /// - Parameter open: the resources of the open.
  /// - Returns: nil when the open may be queued.
  package func refusal(
    of open: Load, for handler: BundleIdentifier, besides underWay: UnderWay
  ) -> OpenFailure? {
    opensRefusal(handler, underWay) ?? bytesRefusal(open, handler, underWay)
      ?? streamsRefusal(open, handler, underWay)
  }

  private func opensRefusal(_ handler: BundleIdentifier, _ underWay: UnderWay) -> OpenFailure? {
    guard underWay.ofCaller.opens < mostOpens else {
      return .limitExceeded(
        "\(mostOpens) opens of this caller are under way already, which is the limit"
          + " MaximumOpensPerCaller of the settings: \(Self.wait)")
    }
    let places = max(1, longestQueue * 3 / 4)
    guard underWay.ofCallerForHandler < places else {
      return .limitExceeded(
        "\(places) opens of this caller wait for \(handler) already, three quarters of the limit"
          + " MaximumQueueLength of the settings: \(Self.wait)")
    }
    guard underWay.forHandler.opens < longestQueue else {
      return .limitExceeded(
        "\(longestQueue) opens wait for \(handler) already, which is the limit MaximumQueueLength of the"
          + " settings: check whether \(handler) hangs")
    }
    let full = NestedShares.full(
      to: underWay.ofGroupsForHandler.map(\.opens), all: underWay.forHandler.opens,
      most: longestQueue
    ) { free in max(places, min(free - 1, longestQueue * 7 / 8)) }
    if let full {
      return .limitExceeded(
        "\(full.used) opens of this caller and of others of one application, unit or parent process"
          + " wait for \(handler) already, and together they may have \(full.places) of the"
          + " \(longestQueue) places, the limit MaximumQueueLength of the settings: \(Self.wait)")
    }
    return nil
  }

  private func bytesRefusal(
    _ open: Load, _ handler: BundleIdentifier, _ underWay: UnderWay
  ) -> OpenFailure? {
    let isFirst = underWay.ofCaller.opens == 0
    let reserve = isFirst && open.bytes <= Self.little ? mostBytes / 16 : 0
    guard underWay.all.bytes < mostBytes + reserve else {
      return .limitExceeded(
        "the opens under way take \(underWay.all.bytes) bytes already, and the limit MaximumPendingBytes of"
          + " the settings is \(mostBytes): \(Self.wait)")
    }
    let share = max(1, mostBytes / 4)
    guard underWay.ofCaller.bytes < share else {
      return .limitExceeded(
        "the opens of this caller take \(underWay.ofCaller.bytes) bytes already, and one caller may take"
          + " \(share), a quarter of the limit MaximumPendingBytes of the settings: \(Self.wait)")
    }
    if let orphans = underWay.ofOrphans, orphans.bytes > 0,
      orphans.bytes + open.bytes > share
    {
      return .limitExceeded(
        "the opens of processes whose parents have ended take \(orphans.bytes) bytes already, and together they may"
          + " take \(share), a quarter of the limit MaximumPendingBytes of the settings: \(Self.wait), or open from a"
          + " process whose parent runs")
    }
    // The same for every caller, so that small opens of many processes take nothing from a larger one beside them.
    let most = mostBytes + mostBytes / 16
    let ofAll = NestedShares.full(
      adding: open.bytes, to: underWay.ofGroups.map(\.bytes), all: underWay.all.bytes, most: most
    ) { free in min(free, most * 3 / 4) - most / 128 }
    if let full = ofAll {
      return .limitExceeded(
        "the opens of this caller and of others of one application, unit or parent process take"
          + " \(full.used) bytes already, and the others leave \(full.places) of the limit MaximumPendingBytes of the"
          + " settings for them: \(Self.wait)")
    }
    let ofHandler = isFirst ? max(1, mostBytes * 3 / 8) : share
    guard underWay.forHandler.bytes < ofHandler + reserve else {
      return .limitExceeded(
        "the opens that wait for \(handler) take \(underWay.forHandler.bytes) bytes already, and those of one application"
          + " may take \(ofHandler), \(isFirst ? "three eighths" : "a quarter") of the limit MaximumPendingBytes of"
          + " the settings: check whether \(handler) hangs")
    }
    let full = NestedShares.full(
      adding: open.bytes, to: underWay.ofGroupsForHandler.map(\.bytes),
      all: underWay.forHandler.bytes, most: mostBytes * 7 / 16
    ) { free in free - mostBytes / 1024 }
    if let full {
      return .limitExceeded(
        "the opens of this caller and of others of one application, unit or parent process that wait for \(handler)"
          + " take \(full.used) bytes already, and the others leave \(full.places) bytes for them: check whether"
          + " \(handler) hangs")
    }
    return nil
  }

  private func streamsRefusal(
    _ open: Load, _ handler: BundleIdentifier, _ underWay: UnderWay
  ) -> OpenFailure? {
    guard open.withStreams > 0 else { return nil }
    let isFirst = underWay.ofCaller.withStreams == 0
    let most = Self.mostWithStreams
    let limits = [
      (underWay.all.withStreams, isFirst ? most : most * 3 / 4, "of all callers"),
      (underWay.ofCaller.withStreams, most / 4, "of this caller"),
      (underWay.forHandler.withStreams, isFirst ? most / 2 : most / 4, "for \(handler)"),
    ]
    for (number, limit, whose) in limits where number >= limit {
      return .limitExceeded(
        "\(number) opens \(whose) that bring stdin, stdout or stderr wait already, which is the limit:"
          + " \(Self.wait), or open without them")
    }
    let full = NestedShares.full(
      to: underWay.ofGroups.map(\.withStreams), all: underWay.all.withStreams, most: most
    ) { free in max(most / 4, min(free - 1, most * 3 / 4)) }
    if let full {
      return .limitExceeded(
        "\(full.used) opens of this caller and of others of one application, unit or parent process that bring stdin,"
          + " stdout or stderr wait already, and the others leave \(full.places) places for them: \(Self.wait), or open"
          + " without them")
    }
    return nil
  }

  private static let wait = "try again when some of them have ended"
}
