/// The error names of the D-Bus specification and of libdbus.
extension ErrorName {
  package static let standardPrefix = "org.freedesktop.DBus.Error."

  /// What the bus reports when it could not start a service begins with this.
  package static let spawnPrefix = standardPrefix + "Spawn."

  package static let accessDenied: ErrorName = "org.freedesktop.DBus.Error.AccessDenied"
  /// The other end of a connection does not accept this process.
  package static let authFailed: ErrorName = "org.freedesktop.DBus.Error.AuthFailed"
  package static let badAddress: ErrorName = "org.freedesktop.DBus.Error.BadAddress"
  package static let disconnected: ErrorName = "org.freedesktop.DBus.Error.Disconnected"
  package static let failed: ErrorName = "org.freedesktop.DBus.Error.Failed"
  package static let invalidArgs: ErrorName = "org.freedesktop.DBus.Error.InvalidArgs"
  package static let invalidSignature: ErrorName = "org.freedesktop.DBus.Error.InvalidSignature"
  package static let limitsExceeded: ErrorName = "org.freedesktop.DBus.Error.LimitsExceeded"
  /// No connection has the name; also the error of a call to a connection that was closed.
  package static let nameHasNoOwner: ErrorName = "org.freedesktop.DBus.Error.NameHasNoOwner"
  package static let noReply: ErrorName = "org.freedesktop.DBus.Error.NoReply"
  package static let notSupported: ErrorName = "org.freedesktop.DBus.Error.NotSupported"
  package static let propertyReadOnly: ErrorName = "org.freedesktop.DBus.Error.PropertyReadOnly"
  package static let serviceUnknown: ErrorName = "org.freedesktop.DBus.Error.ServiceUnknown"
  /// The bus started a service that did not take its name in time.
  package static let timedOut: ErrorName = "org.freedesktop.DBus.Error.TimedOut"
  /// The deadline of a call passed on this side.
  package static let timeout: ErrorName = "org.freedesktop.DBus.Error.Timeout"
  package static let unknownInterface: ErrorName = "org.freedesktop.DBus.Error.UnknownInterface"
  package static let unknownMethod: ErrorName = "org.freedesktop.DBus.Error.UnknownMethod"
  package static let unknownObject: ErrorName = "org.freedesktop.DBus.Error.UnknownObject"
  package static let unknownProperty: ErrorName = "org.freedesktop.DBus.Error.UnknownProperty"
}
