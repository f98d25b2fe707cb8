import Foundation
import LaunchRules
import PropertyLists
import SeededRandom
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Damaged property lists` {
  static var contents: [String: Any] {
    [
      "CFBundleIdentifier": "com.example.app", "CFBundleName": "Äpp", "CFBundleVersion": "1.2",
      "CFBundleURLTypes": [
        ["CFBundleURLName": "n", "CFBundleURLSchemes": ["one", "two"], "LSHandlerRank": "Owner"]
      ], "LSApplicationQueriesSchemes": ["fb", "tg"], "LSEnvironment": ["A": "b"],
      "DBusActivatable": true, "UIDeviceFamily": [1, 2], "Number": 2.5,
    ]
  }

  static func bytes(_ format: PropertyListSerialization.PropertyListFormat) throws -> [UInt8] {
    Array(
      try PropertyListSerialization.data(fromPropertyList: contents, format: format, options: 0))
  }

  /// Whatever the bytes, there is a declaration or an error.
  static func check(_ bytes: [UInt8], _ what: @autoclosure () -> String) {
    let reading = readBytes(bytes)
    let hasError = reading.diagnostics.contains { $0.severity == .error }
    if hasError == (reading.declaration != nil) {
      Issue.record("\(what()): \(reading.report)")
    }
  }

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func `never crash the reader when cut short`(
    _ format: PropertyListSerialization.PropertyListFormat
  ) throws {
    let bytes = try Self.bytes(format)
    for length in bytes.indices { Self.check(Array(bytes[..<length]), "\(length) bytes") }
  }

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func `never crash the reader with one bit flipped`(
    _ format: PropertyListSerialization.PropertyListFormat
  ) throws {
    let bytes = try Self.bytes(format)
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        Self.check(damaged, "bit \(bit) of byte \(index)")
      }
    }
  }

  @Test(
    "never crash the reader with several changes", arguments: 1...8 as ClosedRange<UInt64>,
    [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func several(
    _ seed: UInt64, _ format: PropertyListSerialization.PropertyListFormat
  ) throws {
    var random = SplitMix64(seed: seed)
    let bytes = try Self.bytes(format)
    for round in 0..<250 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 2...12, using: &random) {
        let index = Int.random(in: damaged.indices, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: damaged[index] = [0, 0xFF, 0x7F, 0x3C, 0x26].randomElement(using: &random) ?? 0
        case 1: damaged[index] = UInt8.random(in: 0...255, using: &random)
        case 2: damaged.remove(at: index)
        default: damaged.insert(damaged[damaged.count - 1 - index], at: index)
        }
      }
      Self.check(damaged, "seed \(seed), round \(round)")
    }
  }
}
