import Foundation
import Host

@testable import LaunchServicesDaemon

/// A journal whose lines the test reads.
@MainActor final class CapturedLog {
  let lines = EventStream<String>()
  let journal: Journal
  private let pipe = Pipe()

  init(_ program: String) {
    journal = Journal(
      program: program, environment: [:],
      descriptor: pipe.fileHandleForWriting.fileDescriptor)
    pipe.fileHandleForReading.readabilityHandler = { [lines] handle in
      let text = String(decoding: handle.availableData, as: UTF8.self)
      Task { @MainActor in
        for line in text.split(separator: "\n") { lines.add(String(line)) }
      }
    }
  }

  isolated deinit { pipe.fileHandleForReading.readabilityHandler = nil }
}
