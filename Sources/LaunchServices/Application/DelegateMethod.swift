/// The delegate methods that an application may leave out.
///
/// Swift protocols have no optional methods. The protocols provide each of these instead, and what
/// they provide says here that it ran: then the application did not implement the method, which for
/// the launch gate is not the same as returning true (R5.4).
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

  /// The provided method ran.
  func noteAbsence(in delegate: AnyObject) {
    Self.absences.insert(Absence(method: self, delegate: ObjectIdentifier(delegate)))
  }

  /// What the delegate's own method returned; nil when it has none.
  func answer<Answer>(of delegate: AnyObject, _ call: () -> Answer) -> Answer? {
    let absence = Absence(method: self, delegate: ObjectIdentifier(delegate))
    Self.absences.remove(absence)
    let answer = call()
    return Self.absences.contains(absence) ? nil : answer
  }
}
