internal import BusContract
package import DBus

// Documents.

/// The result for some of the documents that were opened together.
public struct DocumentsFate: Hashable, Sendable {
  /// The URLs of the documents.
  public var documents: [String]
  /// The receipt of the open; nil when the open failed.
  public var receipt: Receipt?
  /// The error of the open; nil when the documents were delivered.
  public var refusal: Refusal?

  package init(_ entry: Options) {
    documents = entry[Key.documents]?.asStrings ?? []
    receipt = BusContract.Receipt(entry).flatMap(Receipt.init)
    refusal = entry[Key.error]?.asString.map { Refusal($0, entry[Key.message]?.asString ?? "") }
  }
}

extension TestClient {
  /// Opens documents and waits until all results are known.
  public func openDocuments(
    _ urls: [String], with application: String? = nil, requestID: String? = nil
  ) async throws(Refusal) -> [DocumentsFate] {
    var options = OpenOptions()
    options.application = application
    options.requestID = requestID
    let answer = try await call(Contract.openDocuments(urls, options))
    guard let list = answer.first?.asOptionsList else { throw unexpected(answer) }
    return list.map(DocumentsFate.init)
  }

  /// The handlers of a file, best first.
  public func handlers(ofDocument url: String) async throws(Refusal) -> [String] {
    try await identifiers(Contract.handlers(ofDocument: url))
  }

  /// The handlers of a type, best first.
  public func handlers(ofType type: String) async throws(Refusal) -> [String] {
    try await identifiers(Contract.handlers(ofType: type))
  }

  private func identifiers(_ message: borrowing Message) async throws(Refusal) -> [String] {
    let answer = try await call(message)
    guard let identifiers = answer.first?.asStrings else { throw unexpected(answer) }
    return identifiers
  }

  /// The reply of the service about the type of a file.
  package func type(ofDocument url: String) async throws(Refusal) -> Options {
    let answer = try await call(Contract.type(ofDocument: url))
    guard let type = answer.first?.asOptions else { throw unexpected(answer) }
    return type
  }

  /// Makes an application the user's default handler of a type.
  /// - Parameters:
  ///   - type: The type, such as `public.plain-text`.
  ///   - identifier: The bundle identifier; empty to remove the choice.
  public func setDefaultHandler(
    ofType type: String, _ identifier: String
  ) async throws(Refusal) {
    _ = try await call(Contract.setDefaultHandler(ofType: type, identifier))
  }

  /// Makes an application the user's handler of one file.
  /// - Parameters:
  ///   - url: The file URL.
  ///   - identifier: The bundle identifier; empty to remove the choice.
  public func setHandler(ofDocument url: String, _ identifier: String) async throws(Refusal) {
    _ = try await call(Contract.setHandler(ofDocument: url, identifier))
  }
}
