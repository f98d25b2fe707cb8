/// The applications that the user chose for types and for single files (R2.16, R6.5).
package struct DocumentChoices: Hashable, Sendable {
  package var types: [TypeIdentifier: BundleIdentifier] = [:]
  /// Choices by `file:` URL.
  package var files: [String: BundleIdentifier] = [:]

  package init() {}

  /// The choices of each application: the texts of types, and the `file:` URLs, sorted.
  package struct ByApplication {
    package let types: [BundleIdentifier: [String]]
    package let files: [BundleIdentifier: [String]]
  }

  package var byApplication: ByApplication {
    ByApplication(
      types: Dictionary(grouping: types, by: \.value).mapValues { $0.map(\.key.text).sorted() },
      files: Dictionary(grouping: files, by: \.value).mapValues { $0.map(\.key).sorted() })
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
