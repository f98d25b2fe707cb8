internal import BusContract
internal import DBus
internal import LaunchRules
internal import RegistryLoading

extension RegistryRefusal {
  nonisolated var busError: BusError {
    switch self {
    case .invalidBundle(let text): RegistrationFailure.invalidBundle(text).busError
    case .notRegistered(let text): RegistrationFailure.notRegistered(text).busError
    case .notPermitted(let text): RegistrationFailure.notPermitted(text).busError
    case .limitExceeded(let text): OpenFailure.limitExceeded(text).busError
    case .notStored(let error): .failed("the change could not be stored: \(error)")
    }
  }
}

/// Runs a change of the registry and converts its refusal to a bus error.
func withBusErrors<Result>(
  _ body: () throws(RegistryRefusal) -> Result
) throws(BusError) -> Result {
  do throws(RegistryRefusal) {
    return try body()
  } catch {
    throw error.busError
  }
}
