/// A failure in the form of `simctl`: scripts read the domain and the code, and the status is the low byte of the code.
struct SimulatorFailure: Error, Equatable {
  let domain: String
  let code: Int32
  let sentences: [String]

  var status: Int32 { Int32(UInt8(truncatingIfNeeded: code)) }

  var lines: [String] {
    guard !domain.isEmpty else { return sentences }
    return [
      "An error was encountered processing the command (domain=\(domain), code=\(code)):"
    ] + sentences
  }

  static func simulator(_ code: Int32, _ sentence: String) -> Self {
    Self(domain: "com.apple.CoreSimulator.SimError", code: code, sentences: [sentence])
  }

  /// A device is in a state that does not permit the action.
  static func state(_ action: String, _ state: String) -> Self {
    simulator(405, "Unable to \(action) in current state: \(state)")
  }

  static let shutDown = simulator(164, "Unable to lookup in current state: Shutdown")

  static func system(_ code: Int32, _ sentences: String...) -> Self {
    Self(domain: "NSPOSIXErrorDomain", code: code, sentences: sentences)
  }

  /// No device has the name.
  static func invalidDevice(_ name: String) -> Self {
    Self(
      domain: "", code: 148,
      sentences: [name == "booted" ? "No devices are booted." : "Invalid device: \(name)"])
  }

  /// Something that this program does not do, or a wrong command line.
  static func usage(_ sentence: String) -> Self {
    Self(domain: "", code: 1, sentences: [sentence])
  }

  /// This machine prevents the action.
  static func machine(_ sentence: String) -> Self {
    Self(domain: "org.launchservices", code: 1, sentences: [sentence])
  }
}
