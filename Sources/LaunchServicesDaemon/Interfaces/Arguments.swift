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

/// An error of the rules or the registry that callers receive as a bus error.
nonisolated protocol BusErrorConvertible: Error {
  var busError: BusError { get }
}

nonisolated extension OpenFailure: BusErrorConvertible {}

/// Runs `body` and converts its error to a bus error.
func withBusErrors<Result, Failure: BusErrorConvertible>(
  _ body: () throws(Failure) -> Result
) throws(BusError) -> Result {
  do throws(Failure) {
    return try body()
  } catch {
    throw error.busError
  }
}

nonisolated extension Result where Failure: BusErrorConvertible {
  func orBusError() throws(BusError) -> Success {
    do throws(Failure) {
      return try get()
    } catch {
      throw error.busError
    }
  }
}
