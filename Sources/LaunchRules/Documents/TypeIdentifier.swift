/// The name of a type of documents, such as `public.plain-text`.
///
/// Compared without regard to case; only ASCII letters, digits, `-` and `.` are allowed (R1.24).
package struct TypeIdentifier: DottedName {
  package let text: String
  package let key: String

  package static let longest = 255

  /// Nil when `text` is not a type identifier. It has two parts or more, which tells it from a scheme.
  package init?(_ text: String) {
    let bytes = text.utf8
    guard bytes.count <= Self.longest, bytes.areOfDottedName else { return nil }
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count > 1, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    self.init(known: text)
  }

  /// Of a text that a type identifier had.
  init(known text: String) {
    self.text = text
    key = text.lowercased()
  }

  /// Nobody but Apple names types so (R1.24).
  package var isReserved: Bool {
    ["public.", "dyn.", "com.apple."].contains { key.hasPrefix($0) }
  }
}

// Those that the rules themselves speak of.
extension TypeIdentifier {
  package static let item = Self(known: "public.item")
  package static let data = Self(known: "public.data")
  package static let directory = Self(known: "public.directory")
  package static let folder = Self(known: "public.folder")
  package static let package = Self(known: "com.apple.package")
  package static let plainText = Self(known: "public.plain-text")
  package static let executable = Self(known: "public.unix-executable")
}

/// What a file can be known by (R1.23).
package enum TypeTag: Hashable, Sendable {
  /// Without its dot.
  case fileExtension(String)
  case mimeType(String)
  /// Four characters.
  case osType(String)

  /// Extensions and MIME types are compared without regard to case (R1.20).
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
