/// What receives an open: an application of this machine, or another device.
package enum Receiver: Hashable, Sendable {
  case application(InstalledApplication)
  /// - Parameter sentBy: what the rule of the user is about that sends the URL to the device; nil without one.
  case device(Device, sentBy: MachineRules.Subject? = nil)

  /// The receiver in remembered answers, and where loads are counted.
  package var identifier: BundleIdentifier {
    switch self {
    case .application(let application): application.identifier
    case .device(let device, _): device.identifier
    }
  }

  /// The receiver in receipts, the history and explanations: the identifier of an application, or `device:NAME`.
  package var handlerName: String {
    switch self {
    case .application(let application): application.identifier.text
    case .device(let device, _): device.handlerName
    }
  }

  /// The name that the user knows.
  package var visibleName: String {
    switch self {
    case .application(let application): application.declaration.visibleName
    case .device(let device, _): device.name
    }
  }

  /// Nil for a device.
  package var application: InstalledApplication? {
    if case .application(let application) = self { application } else { nil }
  }

  /// Nil for an application.
  package var device: Device? {
    if case .device(let device, _) = self { device } else { nil }
  }
}
