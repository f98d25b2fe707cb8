internal import FoundationEssentials

/// Decodes property lists other than those of applications, with the same protection against hostile input.
package enum AdmittedPropertyList {
  /// The reason why the bytes were not decoded: a sentence without its full stop.
  package struct Unreadable: Error, CustomStringConvertible {
    package let description: String
  }

  /// Throws when decoding could crash or run without end, and when the contents do not match `type`.
  package static func decode<Contents: Decodable>(
    _ type: Contents.Type, from bytes: [UInt8]
  ) throws(Unreadable) -> Contents {
    try decode(type, admitted: bytes) { bytes throws(Refusal) in try HostileInput.admit(bytes) }
  }

  /// Decodes the file of an Xcode project: `project.pbxproj`. Every scalar of the old style is text.
  package static func decodeProject<Contents: Decodable>(
    _ type: Contents.Type, from bytes: [UInt8]
  ) throws(Unreadable) -> Contents {
    try decode(type, admitted: bytes) { bytes throws(Refusal) in
      try HostileInput.admitProject(bytes)
    }
  }

  private static func decode<Contents: Decodable>(
    _ type: Contents.Type, admitted bytes: [UInt8], _ admit: ([UInt8]) throws(Refusal) -> [UInt8]
  ) throws(Unreadable) -> Contents {
    let admitted: [UInt8]
    do throws(Refusal) {
      admitted = try admit(bytes)
    } catch {
      throw Unreadable(description: error.problem)
    }
    do {
      return try PropertyListDecoder().decode(type, from: Data(admitted))
    } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
      let error = DecodingError.dataCorrupted(context)
      throw Unreadable(description: Refusal(explaining: error, in: admitted).problem)
    } catch {
      throw Unreadable(description: "it is not the property list that is expected: \(error)")
    }
  }
}
