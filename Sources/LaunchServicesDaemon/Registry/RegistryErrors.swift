internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules
internal import RegistryLoading

nonisolated extension RegistryRefusal: BusErrorConvertible {
  var busError: BusError {
    switch self {
    case .invalidBundle(let text): RegistrationFailure.invalidBundle(text).busError
    case .notRegistered(let text): RegistrationFailure.notRegistered(text).busError
    case .notPermitted(let text): RegistrationFailure.notPermitted(text).busError
    case .limitExceeded(let text): OpenFailure.limitExceeded(text).busError
    case .notStored(let error): .notStored(error)
    }
  }
}

nonisolated extension BusError {
  /// A change that cannot be written to its file, and therefore has no effect.
  static func notStored(_ error: FileError) -> BusError {
    .failed("the change could not be stored: \(error)")
  }
}
