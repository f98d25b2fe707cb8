/// Suspends and resumes the unit of an application. The service manager answers each order, and takes no
/// other one of the same unit before; what it cannot freeze is stopped with signals.
package struct UnitFreezer: Hashable, Sendable {
  package enum State: Hashable, Sendable {
    case running
    /// Asked to freeze it, and to be thawed again at once or not.
    case freezing(thenThaw: Bool)
    case frozen
    case thawing(thenFreeze: Bool)
    /// By signals.
    case stopped
  }

  package enum Event: Hashable, Sendable {
    case suspend, resume
    /// The last order was carried out, or was refused.
    case done, refused
  }

  package enum Effect: Hashable, Sendable {
    case freeze, thaw
    /// By signals.
    case stop, proceed
  }

  package private(set) var state: State

  package init(_ state: State = .running) { self.state = state }

  package mutating func handle(_ event: Event) -> Effect? {
    switch (state, event) {
    case (.running, .suspend): become(.freezing(thenThaw: false), .freeze)
    case (.freezing, .suspend): become(.freezing(thenThaw: false), nil)
    case (.freezing, .resume): become(.freezing(thenThaw: true), nil)
    case (.freezing(thenThaw: false), .done): become(.frozen, nil)
    case (.freezing(thenThaw: false), .refused): become(.stopped, .stop)
    case (.freezing(thenThaw: true), .done): become(.thawing(thenFreeze: false), .thaw)
    case (.freezing(thenThaw: true), .refused): become(.running, nil)
    case (.frozen, .resume): become(.thawing(thenFreeze: false), .thaw)
    case (.thawing, .suspend): become(.thawing(thenFreeze: true), nil)
    case (.thawing, .resume): become(.thawing(thenFreeze: false), nil)
    case (.thawing(thenFreeze: false), .done): become(.running, nil)
    case (.thawing(thenFreeze: true), .done): become(.freezing(thenThaw: false), .freeze)
    // It has ended, or is no unit any more: signals are what is left.
    case (.thawing(thenFreeze: false), .refused): become(.running, .proceed)
    case (.thawing(thenFreeze: true), .refused): become(.stopped, .stop)
    case (.stopped, .resume): become(.running, .proceed)
    case (.running, .resume), (.running, .done), (.running, .refused), (.frozen, .suspend),
      (.frozen, .done), (.frozen, .refused), (.stopped, .suspend), (.stopped, .done),
      (.stopped, .refused):
      nil
    }
  }

  private mutating func become(_ state: State, _ effect: Effect?) -> Effect? {
    self.state = state
    return effect
  }
}
