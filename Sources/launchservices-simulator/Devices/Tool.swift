internal import Foundation
internal import LaunchServicesTesting

/// Runs `lsopen` and `lsregister` in a device.
enum Tool {
  struct Ending {
    var status: Int32
    var output = ""
    var error = ""

    /// The output as JSON; nil when it is something else.
    var json: Any? { try? JSONSerialization.jsonObject(with: Data(output.utf8)) }
    var object: [String: Any] { json as? [String: Any] ?? [:] }
    var objects: [[String: Any]] { json as? [[String: Any]] ?? [] }
  }

  /// - Parameter isShown: whether the tool writes to the streams of this command; the output is then empty.
  static func run(
    _ name: String, _ arguments: [String], _ environment: [String: String], isShown: Bool = false
  ) -> Ending {
    let process = Process()
    do {
      process.executableURL = URL(filePath: try Programs.find(name))
      process.arguments = arguments
      process.environment = environment
      let (output, error) = (Pipe(), Pipe())
      if !isShown {
        process.standardOutput = output
        process.standardError = error
        process.standardInput = FileHandle.nullDevice
      }
      try process.run()
      guard !isShown else {
        process.waitUntilExit()
        return Ending(status: process.terminationStatus)
      }
      // The tools write few bytes to standard error, so reading one stream after the other does not block them.
      let outputData = output.fileHandleForReading.readDataToEndOfFile()
      let errorData = error.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return Ending(
        status: process.terminationStatus, output: String(decoding: outputData, as: UTF8.self),
        error: String(decoding: errorData, as: UTF8.self))
    } catch {
      return Ending(status: 127, error: "\(error)")
    }
  }
}
