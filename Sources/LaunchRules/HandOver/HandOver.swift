/// What a handler that passes URLs on to other programs knows of a delivery.
package struct HandOver: Hashable, Sendable {
  /// The way by which another program gets a URL: lower-case letters and hyphens. The trail of the receipt names the
  /// way.
  package struct Way: Hashable, Sendable {
    package let text: String

    package static let longest = 40

    /// Nil for a text with other characters, or with more than `longest`.
    package init?(_ text: String) {
      guard (1...Self.longest).contains(text.utf8.count),
        text.utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == 0x2d })
      else { return nil }
      self.text = text
    }

    private init(known text: String) { self.text = text }

    /// A program was started with the URL as an argument.
    package static let arguments = Way(known: "arguments")
    /// The method `Open` of `org.freedesktop.Application`.
    package static let freedesktopApplication = Way(known: "freedesktop-application")

    package init(_ handOver: HandOverProtocol) { text = handOver.rawValue }
  }

  package var delivery: OpenOutcome.Delivery
  package var way: Way
  /// Whether a process was started for the URL; nil when the process of the handler counts.
  package var launch: OpenOutcome.Launch?
  /// The process that ran before and took the URL; nil for a process that was started for the URL.
  package var owner: Owner?
  /// The number of the process that got the URL, for the receipt; 0 when it is unknown, nil for the process of the
  /// handler.
  package var process: Int32?

  /// The status with which the program ended that was started with the URL, where it does not say whether the URL was taken:
  /// from 1 to 125.
  package var exitStatus: Int32?

  /// A process, identified by number and start time because numbers are reused.
  package struct Owner: Hashable, Sendable {
    package var pid: Int32
    /// In clock ticks since boot.
    package var startTime: UInt64

    package init(pid: Int32, startTime: UInt64) {
      self.pid = pid
      self.startTime = startTime
    }
  }

  /// The time for which the owner is observed after the hand-over. A process that is ending still answers, and loses
  /// what it has taken.
  package static let observation: Duration = .seconds(2)
  /// The time after the hand-over in which an end of the owner is recorded. The opener has its answer by then.
  package static let laterObservation: Duration = .seconds(10)
  /// The beginning of the step of the trail for `exitStatus`, which follows.
  package static let statusStep = "exit-status-"
  /// The step of the trail for an end of the owner after `observation`.
  package static let endedStep = "owner-ended"

  /// The end of a program that was started with a URL, after the opener was answered and within
  /// `StartedProgramRule.timeToReady`, which says that the program has failed.
  package enum Failure: Hashable, Sendable, CustomStringConvertible {
    /// An exit status from 1 to 255.
    case status(Int32)
    /// A signal from 1 to 64.
    case signal(Int32)

    /// Nil for other numbers, and unless one of them is given.
    package init?(status: Int64?, signal: Int64?) {
      switch (status, signal) {
      case (let number?, nil) where (1...255).contains(number): self = .status(Int32(number))
      case (nil, let number?) where (1...64).contains(number): self = .signal(Int32(number))
      default: return nil
      }
    }

    private static let statusStep = "ended-with-status-"
    private static let signalStep = "ended-by-signal-"

    /// The step of the trail.
    package var step: String {
      switch self {
      case .status(let number): "\(Self.statusStep)\(number)"
      case .signal(let number): "\(Self.signalStep)\(number)"
      }
    }

    /// Nil for another step.
    package init?(step: String) {
      func number(after beginning: String) -> Int64? {
        step.hasPrefix(beginning) ? Int64(step.dropFirst(beginning.count)) : nil
      }
      self.init(status: number(after: Self.statusStep), signal: number(after: Self.signalStep))
    }

    /// A predicate for the program.
    package var description: String {
      switch self {
      case .status(let number): "ended with status \(number)"
      case .signal(let number): "was ended by signal \(number)"
      }
    }
  }

  package init(
    _ delivery: OpenOutcome.Delivery, by way: Way, launch: OpenOutcome.Launch? = nil,
    owner: Owner? = nil, process: Int32? = nil
  ) {
    (self.delivery, self.way, self.launch) = (delivery, way, launch)
    self.owner = owner
    self.process = process ?? owner?.pid
  }

  /// What is known of several URLs that were passed on in one call: the least. Nil without a URL.
  package static func combined(_ some: [HandOver]) -> HandOver? {
    some.min { $0.certainty < $1.certainty }
  }

  private var certainty: Int {
    switch delivery {
    case .delivered: 2
    case .handedOver: 1
    case .unacknowledged, .vetoed, .withoutURL: 0
    }
  }
}
