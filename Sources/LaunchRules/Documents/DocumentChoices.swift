/// The applications that the user chose for types and for single files (R2.16, R6.5).
package struct DocumentChoices: Hashable, Sendable {
  package var types: [TypeIdentifier: BundleIdentifier] = [:]
  /// Choices by `file:` URL.
  package var files: [String: BundleIdentifier] = [:]

  package init() {}

  /// The `file:` URLs with a choice of each application, sorted.
  package var filesByApplication: [BundleIdentifier: [String]] {
    Dictionary(grouping: files, by: \.value).mapValues { $0.map(\.key).sorted() }
  }
}

extension Registry {
  /// Nil removes the choice. Returns true when something changed.
  @discardableResult
  package mutating func bind(_ type: TypeIdentifier, to identifier: BundleIdentifier?) -> Bool {
    changeDocumentChoices { $0.types[type] = identifier }
  }

  /// - Parameter file: the URL in the form of `DocumentURL.key`.
  @discardableResult
  package mutating func bind(file: String, to identifier: BundleIdentifier?) -> Bool {
    changeDocumentChoices { $0.files[file] = identifier }
  }
}
