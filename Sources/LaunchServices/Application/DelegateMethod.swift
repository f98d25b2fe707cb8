/// The optional delegate methods.
///
/// Swift protocols have no optional methods, so the protocols have default implementations. A default
/// implementation records here that it ran: then the application does not implement the method, which the launch
/// gate distinguishes from returning true (R5.4).
@MainActor enum DelegateMethod {
  case willFinishLaunching
  case didFinishLaunching
  case open
  case openTogether
  case openWithSource
  case sceneOpen
  case sceneContinue

  private struct Absence: Hashable {
    let method: DelegateMethod
    let delegate: ObjectIdentifier
  }

  private static var absences: Set<Absence> = []

  /// Records that the default implementation ran.
  func recordAbsence(in delegate: AnyObject) {
    Self.absences.insert(Absence(method: self, delegate: ObjectIdentifier(delegate)))
  }

  /// The result of the delegate's own implementation; nil when the delegate has none.
  func answer<Answer>(of delegate: AnyObject, _ call: () -> Answer) -> Answer? {
    let absence = Absence(method: self, delegate: ObjectIdentifier(delegate))
    Self.absences.remove(absence)
    let answer = call()
    return Self.absences.contains(absence) ? nil : answer
  }
}
