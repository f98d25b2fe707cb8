/// What a stub does in the callbacks of an application.
package struct StubBehaviour: Hashable, Sendable {
  /// One thing that a stub does.
  package enum Act: String, CaseIterable, Hashable, Sendable {
    /// `didFinishLaunching` returns false.
    case veto
    /// `didFinishLaunching` never returns.
    case hangAtLaunch = "hang-at-launch"
    /// The process ends in `didFinishLaunching`.
    case crashAtLaunch = "crash-at-launch"
    /// The callback handles what it got.
    case accept
    /// The callback returns false. Has no effect in the callbacks of scenes, which return nothing.
    case refuse
    /// The callback never returns.
    case hang
    /// The process ends in the callback.
    case crash

    /// Whether the act belongs to the launch, and not to a delivery.
    package var isOfLaunch: Bool {
      switch self {
      case .veto, .hangAtLaunch, .crashAtLaunch: true
      case .accept, .refuse, .hang, .crash: false
      }
    }

    /// The names of all acts, for help texts and messages.
    package static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
  }

  /// What the stub does at its launch; nil to launch.
  package var launch: Act?
  /// What the stub does with the first delivery to a process, the second, and so on; the last entry counts for all
  /// further deliveries. Empty to accept all.
  package var deliveries: [Act]

  /// - Parameter acts: at most one act of the launch, and acts of deliveries in their order.
  /// - Returns: nil when two acts are of the launch.
  package init?(_ acts: [Act]) {
    let launches = acts.filter(\.isOfLaunch)
    guard launches.count <= 1 else { return nil }
    launch = launches.first
    deliveries = acts.filter { !$0.isOfLaunch }
  }

  /// A stub that launches and accepts everything.
  package static let accepting = StubBehaviour([])!

  /// The acts in one word, separated by commas.
  package var word: String {
    ((launch.map { [$0] } ?? []) + deliveries).map(\.rawValue).joined(separator: ",")
  }

  /// Reads acts separated by commas.
  /// - Throws: `Wrong` with a sentence for the user.
  package init(word: String) throws(Wrong) {
    var acts: [Act] = []
    for name in word.split(separator: ",").map(String.init) {
      guard let act = Act(rawValue: name) else {
        throw Wrong(problem: "'\(name)' is not a behaviour; the behaviours are \(Act.names)")
      }
      acts.append(act)
    }
    guard let behaviour = StubBehaviour(acts) else {
      throw Wrong(problem: "'\(word)' has two behaviours of the launch; name one")
    }
    self = behaviour
  }

  /// A text that is no behaviour.
  package struct Wrong: Error, Hashable, Sendable {
    /// A sentence without its full stop.
    package let problem: String

    package init(problem: String) { self.problem = problem }
  }

  /// The act for the delivery with this number, from 0.
  package func act(forDelivery number: Int) -> Act {
    number < deliveries.count ? deliveries[number] : deliveries.last ?? .accept
  }
}
