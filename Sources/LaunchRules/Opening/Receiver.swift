/// What receives an open: an application of this machine, or another device.
package enum Receiver: Hashable, Sendable {
  case application(InstalledApplication)
  /// - Parameter sentBy: what the rule of the user is about that sends the URL to the device; nil without one.
  case device(Device, sentBy: MachineRules.Subject? = nil)
  /// Nothing receives the URL, and the open fails for this reason when the user has answered: an opener outside of the
  /// user's session must not learn earlier which applications there are.
  case nobody(OpenFailure)

  private static let nobody: BundleIdentifier = {
    guard let identifier = BundleIdentifier("org.launchservices.no-application") else {
      preconditionFailure("the identifier is not valid")
    }
    return identifier
  }()

  /// The receiver in remembered answers, and where loads are counted.
  package var identifier: BundleIdentifier {
    switch self {
    case .application(let application): application.identifier
    case .device(let device, _): device.identifier
    case .nobody: Self.nobody
    }
  }

  /// The receiver in receipts, the history and explanations: the identifier of an application, or `device:NAME`; empty
  /// without one.
  package var handlerName: String {
    switch self {
    case .application(let application): application.identifier.text
    case .device(let device, _): device.handlerName
    case .nobody: ""
    }
  }

  /// The name that the user knows.
  package var visibleName: String {
    switch self {
    case .application(let application): application.declaration.visibleName
    case .device(let device, _): device.name
    case .nobody: "no application"
    }
  }

  /// Nil for a device.
  package var application: InstalledApplication? {
    if case .application(let application) = self { application } else { nil }
  }

  /// Why nothing receives the URL; nil for an application and a device.
  package var failure: OpenFailure? {
    if case .nobody(let failure) = self { failure } else { nil }
  }

  /// Nil for an application.
  package var device: Device? {
    if case .device(let device, _) = self { device } else { nil }
  }
}
