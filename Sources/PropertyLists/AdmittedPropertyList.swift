internal import FoundationEssentials

/// Property lists that are not of applications, decoded with the same guard against hostile input.
package enum AdmittedPropertyList {
  /// Why it was not decoded: a sentence without its full stop.
  package struct Unreadable: Error, CustomStringConvertible {
    package let description: String
  }

  /// Fails when decoding could crash or would never end, and when it does not fit `type`.
  package static func decode<Contents: Decodable>(
    _ type: Contents.Type, from bytes: [UInt8]
  ) throws(Unreadable) -> Contents {
    let admitted: [UInt8]
    do throws(Refusal) {
      admitted = try HostileInput.admit(bytes)
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
