import LaunchServicesTesting
import Testing

/// What an opener was told about one URL, while its connections were cut.
struct ToldOpen {
  let url: String
  let end: String
  let lines: [String]

  /// Checks that what the opener was told is true.
  /// - Parameter delivery: that of a receipt.
  /// - Returns: the delivery, or the name of the error.
  func fate(
    hasArrived: Bool, _ seed: UInt64, delivery: String = "delivered"
  ) -> String {
    let what: Comment = "seed \(seed): \(self)"
    let answer = lines.lazy.compactMap(Testbed.json).first ?? [:]
    if end == "exited with code 0" {
      #expect(answer["delivery"] as? String == delivery, what)
      #expect(hasArrived, what)
      return "delivered"
    }
    let error = answer["error"] as? String ?? "nothing"
    // A client whose ssh was cut off is an orphan. Beside a browser of another test, the user is asked about its open.
    #expect(
      [
        "Cancelled", "ConfirmationUnavailable", "DeliveryUnknown", "DaemonUnreachable",
        "DeviceUnavailable",
      ].contains(error), what)
    if error != "DeliveryUnknown" { #expect(!hasArrived, what) }
    return error
  }
}
