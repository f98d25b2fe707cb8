internal import BusContract
internal import DBus
internal import LaunchRules

extension BundleIdentifier {
  /// Reads an argument or option of a call.
  init(argument text: String, _ name: String) throws(BusError) {
    guard let identifier = BundleIdentifier(text) else {
      throw .invalidArguments("\(name): '\(text)' is not a bundle identifier")
    }
    self = identifier
  }
}

/// Runs a step of an open and converts its failure to a bus error.
func withBusErrors<Result>(
  _ body: () throws(OpenFailure) -> Result
) throws(BusError) -> Result {
  do throws(OpenFailure) {
    return try body()
  } catch {
    throw error.busError
  }
}

nonisolated extension Result where Failure == OpenFailure {
  func orBusError() throws(BusError) -> Success {
    do throws(OpenFailure) {
      return try get()
    } catch {
      throw error.busError
    }
  }
}
