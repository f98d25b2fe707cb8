/// Decides whether one more open may be queued.
///
/// There are limits per caller. There are limits per group of callers, too, so that many processes of one parent
/// or unit do not fill the queue of an application, or get a larger share of the memory. A limit per application
/// keeps the opens for a hanging application from using the whole capacity. A part of the capacity is reserved
/// for groups with few pending opens, and the last of it for small opens of callers without pending opens.
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
    /// The load of the largest group that the caller belongs to.
    package var ofGroup = Load.none
    /// Number of opens of this caller for this application.
    package var ofCallerForHandler = 0
    /// Number of opens for this application of the group that has most of them.
    package var ofGroupForHandler = 0
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
    let isFirst = underWay.ofCallerForHandler == 0
    let ofGroup = max(1, longestQueue * 7 / 8 + (isFirst ? longestQueue / 16 : 0))
    guard underWay.ofGroupForHandler < ofGroup else {
      return .limitExceeded(
        "\(underWay.ofGroupForHandler) opens of this caller and of others of one application, unit or parent"
          + " process wait for \(handler) already, and together they may have \(ofGroup) of the"
          + " \(longestQueue) places, the limit MaximumQueueLength of the settings: \(Self.wait)")
    }
    guard underWay.forHandler.opens < longestQueue else {
      return .limitExceeded(
        "\(longestQueue) opens wait for \(handler) already, which is the limit MaximumQueueLength of the"
          + " settings: check whether \(handler) hangs")
    }
    return nil
  }

  private func bytesRefusal(
    _ open: Load, _ handler: BundleIdentifier, _ underWay: UnderWay
  ) -> OpenFailure? {
    let isFirst = underWay.ofCaller.opens == 0
    let reserve = isFirst && open.bytes <= Self.little ? mostBytes / 16 : 0
    let groupHasLittle = underWay.ofGroup.bytes < max(1, mostBytes / 16)
    let ofAll = (groupHasLittle ? mostBytes : max(1, mostBytes * 3 / 4)) + reserve
    guard underWay.all.bytes < ofAll else {
      return .limitExceeded(
        "the opens under way take \(underWay.all.bytes) bytes already, and the limit MaximumPendingBytes of"
          + " the settings is \(mostBytes)"
          + (groupHasLittle ? "" : ", a quarter of it for callers with little under way")
          + ": \(Self.wait)")
    }
    let share = max(1, mostBytes / 4)
    guard underWay.ofCaller.bytes < share else {
      return .limitExceeded(
        "the opens of this caller take \(underWay.ofCaller.bytes) bytes already, and one caller may take"
          + " \(share), a quarter of the limit MaximumPendingBytes of the settings: \(Self.wait)")
    }
    let ofGroup = max(1, mostBytes / 2)
    guard underWay.ofGroup.bytes < ofGroup + reserve else {
      return .limitExceeded(
        "the opens of this caller and of others of one application, unit or parent process take"
          + " \(underWay.ofGroup.bytes) bytes already, and together they may take \(ofGroup), half of the limit"
          + " MaximumPendingBytes of the settings: \(Self.wait)")
    }
    let ofHandler = isFirst ? max(1, mostBytes * 3 / 8) : share
    guard underWay.forHandler.bytes < ofHandler + reserve else {
      return .limitExceeded(
        "the opens that wait for \(handler) take \(underWay.forHandler.bytes) bytes already, and those of one application"
          + " may take \(ofHandler), \(isFirst ? "three eighths" : "a quarter") of the limit MaximumPendingBytes of"
          + " the settings: check whether \(handler) hangs")
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
    return nil
  }

  private static let wait = "try again when some of them have ended"
}
