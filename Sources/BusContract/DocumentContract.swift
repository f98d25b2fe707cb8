package import DBus

// The methods and keys for documents.

extension Contract {
  static let documentsOfWorkspace: [InterfaceDescription.Method] = [
    .init(
      "OpenDocuments", [.init("urls", "as"), .init("options", "a{sv}")],
      returns: [.init("receipts", "aa{sv}")],
      """
      Opens documents, named by 'file:' URLs, with the application of the option 'application', \
      otherwise with the application for each document. The documents of one application are delivered \
      together, in order. Returns when all results are known: a receipt for each delivery, with its \
      'documents' as; a failed delivery is an entry with 'error', 'message' and 'documents'. OpenURL \
      does the same with one 'file:' URL.
      """)
  ]

  static let documentsOfRegistry: [InterfaceDescription.Method] = [
    .init(
      "HandlersOfDocument", [.init("url", "s"), .init("options", "a{sv}")],
      returns: [.init("bundle_ids", "as"), .init("reasons", "as")],
      """
      Returns the applications that can open the file of a 'file:' URL, best first, each with the reason \
      for its position.
      """),
    .init(
      "HandlersOfType", [.init("type", "s"), .init("options", "a{sv}")],
      returns: [.init("bundle_ids", "as"), .init("reasons", "as")],
      "Returns the applications that can open documents of a type, for example public.plain-text."),
    .init(
      "SetDefaultHandlerOfType",
      [.init("type", "s"), .init("bundle_id", "s"), .init("options", "a{sv}")], returns: [],
      "Sets the user's choice for a type; an empty bundle_id removes the choice."),
    .init(
      "SetHandlerOfDocument",
      [.init("url", "s"), .init("bundle_id", "s"), .init("options", "a{sv}")], returns: [],
      "Sets the user's choice for one file; an empty bundle_id removes the choice."),
    .init(
      "TypeOfDocument", [.init("url", "s"), .init("options", "a{sv}")],
      returns: [.init("type", "a{sv}")],
      """
      Returns the 'type' of a file, the reason 'why', its 'description' if the type has one, and in \
      'conforms-to' all types that the type conforms to, nearest first.
      """),
  ]

  package static func openDocuments(
    _ urls: [String], _ options: OpenOptions = OpenOptions()
  ) -> Message {
    ask(workspace, "OpenDocuments", [.strings(urls), .options(options.dictionary)])
  }

  package static func handlers(ofDocument url: String) -> Message {
    ask(registry, "HandlersOfDocument", [.string(url), .options([:])])
  }

  package static func handlers(ofType type: String) -> Message {
    ask(registry, "HandlersOfType", [.string(type), .options([:])])
  }

  package static func setDefaultHandler(ofType type: String, _ identifier: String) -> Message {
    ask(
      registry, "SetDefaultHandlerOfType", [.string(type), .string(identifier), .options([:])])
  }

  package static func setHandler(ofDocument url: String, _ identifier: String) -> Message {
    ask(registry, "SetHandlerOfDocument", [.string(url), .string(identifier), .options([:])])
  }

  package static func type(ofDocument url: String) -> Message {
    ask(registry, "TypeOfDocument", [.string(url), .options([:])])
  }
}

extension Key {
  package static let documents = "documents"
  /// Value of the option `documents` of a check-in: the handler receives documents as open files.
  package static let descriptors = "descriptors"
  /// A document that is open for reading.
  package static let descriptor = "descriptor"
  package static let error = "error"
  package static let message = "message"
  package static let why = "why"
  package static let description = "description"
  package static let conformsTo = "conforms-to"
}

/// Limits of one call that opens documents.
package enum DocumentLimit {
  package static let mostDocuments = 1000
  /// The total length of all URLs, in bytes.
  package static let mostBytes = 1 << 20
}
