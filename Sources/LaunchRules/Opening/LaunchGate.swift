/// The return values of an application's launch methods; nil for a method that is not implemented.
package struct LaunchAnswers: Hashable, Sendable {
  package var will: Bool?
  package var did: Bool?
  /// Whether the process only passes opens on to another application. Its launch is not the start of that application.
  package var passesOn: Bool

  package init(will: Bool? = nil, did: Bool? = nil, passesOn: Bool = false) {
    self.will = will
    self.did = did
    self.passesOn = passesOn
  }

  /// The rule of R5.4: the reason of the launch is delivered unless an implemented launch method returned
  /// false.
  package var passGate: Bool { (will ?? true) && (did ?? true) }
}

/// How an application receives its URLs.
package enum DeliveryStyle: Hashable, Sendable {
  /// Application delegate: launch options, the gate, then the open method (R5.2–R5.8).
  case delegate
  /// Scene delegate: connection options at launch, `openURLContexts` afterwards; no gate
  /// (R5.13–R5.15).
  case scene
}
