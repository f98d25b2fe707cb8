/// The identifier of a document type, such as `public.plain-text`.
///
/// Comparison ignores case. Only ASCII letters, digits, `-` and `.` are allowed (R1.24).
package struct TypeIdentifier: DottedName {
  package let text: String
  package let key: String

  package static let longest = 255

  /// Nil when `text` is not a type identifier. A type identifier has two or more parts, unlike a scheme.
  package init?(_ text: String) {
    let bytes = text.utf8
    guard bytes.count <= Self.longest, bytes.areOfDottedName else { return nil }
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count > 1, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    self.init(known: text)
  }

  /// Creates an identifier from the text of a valid identifier.
  init(known text: String) {
    self.text = text
    key = text.lowercased()
  }

  /// Whether only Apple may declare types with this prefix (R1.24).
  package var isReserved: Bool {
    ["public.", "dyn.", "com.apple."].contains { key.hasPrefix($0) }
  }
}

// The types that the rules mention.
extension TypeIdentifier {
  package static let item = Self(known: "public.item")
  package static let data = Self(known: "public.data")
  package static let directory = Self(known: "public.directory")
  package static let folder = Self(known: "public.folder")
  package static let package = Self(known: "com.apple.package")
  package static let plainText = Self(known: "public.plain-text")
  package static let executable = Self(known: "public.unix-executable")
}

/// A tag by which a file is assigned a type (R1.23).
package enum TypeTag: Hashable, Sendable {
  /// Without the dot.
  case fileExtension(String)
  case mimeType(String)
  /// An OS type of four characters.
  case osType(String)

  /// Comparison of extensions and MIME types ignores case (R1.20).
  package static func named(extension text: String) -> Self { .fileExtension(text.lowercased()) }
  package static func named(mimeType text: String) -> Self { .mimeType(text.lowercased()) }

  package var text: String {
    switch self {
    case .fileExtension(let text), .mimeType(let text), .osType(let text): text
    }
  }
}

extension TypeTag: CustomStringConvertible {
  package var description: String {
    switch self {
    case .fileExtension(let text): "the extension \(text)"
    case .mimeType(let text): "the MIME type \(text)"
    case .osType(let text): "the OS type '\(text)'"
    }
  }
}
