internal import BusContract
internal import Commands
internal import DBus

extension OpenCommand {
  /// Writes the failure as JSON in place of a receipt.
  func print(_ failure: CommandFailure, _ asked: Options) {
    let error: Options = ["error": .string(failure.error), "message": .string(failure.reason)]
    output.print(JSON.text(error.merging(asked) { $1 }))
  }
}
