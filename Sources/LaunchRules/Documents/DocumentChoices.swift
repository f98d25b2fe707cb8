/// The applications that the user chose for types and for single files (R2.16, R6.5).
package struct DocumentChoices: Hashable, Sendable {
  package var types: [TypeIdentifier: BundleIdentifier] = [:]
  /// By the `file:` URL.
  package var files: [String: BundleIdentifier] = [:]

  package init() {}

  /// The `file:` URLs for which the user chose each, sorted.
  package var filesByApplication: [BundleIdentifier: [String]] {
    Dictionary(grouping: files, by: \.value).mapValues { $0.map(\.key).sorted() }
  }
}

extension Registry {
  /// Nil takes the choice back. True when something changed.
  @discardableResult
  package mutating func bind(_ type: TypeIdentifier, to identifier: BundleIdentifier?) -> Bool {
    changeDocumentChoices { $0.types[type] = identifier }
  }

  /// - Parameter file: its URL, as `DocumentURL.key` has it.
  @discardableResult
  package mutating func bind(file: String, to identifier: BundleIdentifier?) -> Bool {
    changeDocumentChoices { $0.files[file] = identifier }
  }
}
