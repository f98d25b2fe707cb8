internal import FoundationEssentials

/// Property lists that the programs of this package write, and read again.
package enum OwnPropertyList {
  /// - Throws: the reason why the bytes are damaged, or not a property list with these contents.
  package static func decode<Contents: Decodable>(
    _ type: Contents.Type, from bytes: [UInt8]
  ) throws -> Contents {
    try PropertyListDecoder().decode(type, from: Data(try HostileInput.admitOwn(bytes)))
  }

  /// - Parameters:
  ///   - contents: consists of the types of property lists only, and can therefore be encoded.
  ///   - isBinary: false for XML, which people can read. XML does not support all characters of D-Bus.
  package static func encode(_ contents: some Encodable, isBinary: Bool = true) -> [UInt8] {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = isBinary ? .binary : .xml
    guard let data = try? encoder.encode(contents) else {
      preconditionFailure("\(type(of: contents)) contains a type that property lists do not have")
    }
    return Array(data)
  }
}
