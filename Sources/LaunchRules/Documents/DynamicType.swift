/// The type of documents without a declared type (R1.24).
///
/// The identifier is `dyn.` and the tag in base32 (RFC 4648), in lower case without padding. The tag is `e:`
/// and an extension, `p:` and the extension of a package, or `m:` and a MIME type. Apple uses an undocumented
/// encoding.
package enum DynamicType {
  private static let prefix = "dyn."
  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

  /// Nil for a tag that is too long for an identifier, and for OS types.
  package static func identifier(of tag: TypeTag, isPackage: Bool = false) -> TypeIdentifier? {
    switch tag {
    case .fileExtension(let text):
      TypeIdentifier(prefix + encode((isPackage ? "p:" : "e:") + text))
    case .mimeType(let text): TypeIdentifier(prefix + encode("m:" + text))
    case .osType: nil
    }
  }

  /// Nil for types that are not dynamic.
  package static func tag(of type: TypeIdentifier) -> TypeTag? { content(of: type)?.tag }

  /// The type that a dynamic type conforms to: `com.apple.package` for a package, a type by the first part of
  /// a MIME type, otherwise `public.data`. Nil for types that are not dynamic.
  package static func parent(of type: TypeIdentifier) -> TypeIdentifier? {
    guard let (tag, isPackage) = content(of: type) else { return nil }
    guard case .mimeType(let text) = tag else { return isPackage ? .package : .data }
    let kinds = [
      "text": TypeIdentifier.plainText, "image": TypeIdentifier(known: "public.image"),
      "audio": TypeIdentifier(known: "public.audio"),
      "video": TypeIdentifier(known: "public.movie"),
    ]
    return kinds[String(text.prefix { $0 != "/" })] ?? .data
  }

  private static func content(of type: TypeIdentifier) -> (tag: TypeTag, isPackage: Bool)? {
    guard type.key.hasPrefix(prefix), let text = decode(type.key.dropFirst(prefix.count)) else {
      return nil
    }
    let rest = String(text.dropFirst(2))
    return switch text.prefix(2) {
    case "e:": (.fileExtension(rest), false)
    case "p:": (.fileExtension(rest), true)
    case "m:": (.mimeType(rest), false)
    default: nil
    }
  }

  private static func encode(_ text: String) -> String {
    var (bits, count): (UInt32, UInt32) = (0, 0)
    var letters: [UInt8] = []
    for byte in text.utf8 {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 5 {
        count -= 5
        letters.append(alphabet[Int(bits >> count & 31)])
      }
    }
    if count > 0 { letters.append(alphabet[Int(bits << (5 - count) & 31)]) }
    return String(decoding: letters, as: UTF8.self)
  }

  private static func decode(_ letters: Substring) -> String? {
    var (bits, count): (UInt32, UInt32) = (0, 0)
    var bytes: [UInt8] = []
    for letter in letters.utf8 {
      guard let value = alphabet.firstIndex(of: letter) else { return nil }
      bits = bits << 5 | UInt32(value)
      count += 5
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
