/// The applications that the user chose for types and for single files (R2.16, R6.5).
package struct DocumentChoices: Hashable, Sendable {
  package var types: [TypeIdentifier: BundleIdentifier] = [:]
  /// By the absolute path, percent-encoded as in a `file:` URL.
  package var files: [String: BundleIdentifier] = [:]

  package init() {}
}

extension Registry {
  /// Nil takes the choice back. True when something changed.
  @discardableResult
  package mutating func bind(_ type: TypeIdentifier, to identifier: BundleIdentifier?) -> Bool {
    changeDocumentChoices { $0.types[type] = identifier }
  }

  /// - Parameter file: the absolute path, percent-encoded as in a `file:` URL.
  @discardableResult
  package mutating func bind(file: String, to identifier: BundleIdentifier?) -> Bool {
    changeDocumentChoices { $0.files[file] = identifier }
  }
}
