/// Suspends and resumes the unit of an application. The service manager answers each order, and accepts no
/// other order for the unit before the answer. A unit that cannot be frozen is stopped with signals.
package struct UnitFreezer: Hashable, Sendable {
  package enum State: Hashable, Sendable {
    case running
    /// A freeze order is pending, possibly with a thaw order to follow.
    case freezing(thenThaw: Bool)
    case frozen
    case thawing(thenFreeze: Bool)
    /// Stopped with signals.
    case stopped
  }

  package enum Event: Hashable, Sendable {
    case suspend, resume
    /// The last order was carried out or rejected.
    case done, refused
  }

  package enum Effect: Hashable, Sendable {
    case freeze, thaw
    /// Orders to be carried out with signals.
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
    // The unit has ended or is unloaded, so only signals remain.
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
