/// The MIME type that represents a scheme.
package enum SchemeType {
  package static let prefix = "x-scheme-handler/"

  package static func text(of scheme: URLScheme) -> String { prefix + scheme.text }

  /// Nil for any other type.
  package static func scheme(of type: String) -> URLScheme? {
    type.hasPrefix(prefix) ? URLScheme(String(type.dropFirst(prefix.count))) : nil
  }
}
