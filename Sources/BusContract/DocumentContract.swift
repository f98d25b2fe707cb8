package import DBus

// What the contract says about documents.

extension Contract {
  static let documentsOfWorkspace: [InterfaceDescription.Method] = [
    .init(
      "OpenDocuments", [.init("urls", "as"), .init("options", "a{sv}")],
      returns: [.init("receipts", "aa{sv}")],
      """
      Opens documents, named by 'file:' URLs, with the application of option 'application', else each \
      with its own. Those of one application are handed over at once, in order. Answers when the fate of \
      all is known: a receipt for each delivery, with its 'documents' as; what failed is an entry with \
      'error', 'message' and 'documents'. OpenURL does the same with one 'file:' URL.
      """)
  ]

  static let documentsOfRegistry: [InterfaceDescription.Method] = [
    .init(
      "HandlersOfDocument", [.init("url", "s"), .init("options", "a{sv}")],
      returns: [.init("bundle_ids", "as"), .init("reasons", "as")],
      """
      The applications that may open the file of a 'file:' URL, best first, each with the reason of its \
      place.
      """),
    .init(
      "HandlersOfType", [.init("type", "s"), .init("options", "a{sv}")],
      returns: [.init("bundle_ids", "as"), .init("reasons", "as")],
      "The same for documents of a type, such as public.plain-text."),
    .init(
      "SetDefaultHandlerOfType",
      [.init("type", "s"), .init("bundle_id", "s"), .init("options", "a{sv}")], returns: [],
      "The user's choice for a type; an empty bundle_id takes it back."),
    .init(
      "SetHandlerOfDocument",
      [.init("url", "s"), .init("bundle_id", "s"), .init("options", "a{sv}")], returns: [],
      "The user's choice for one file; an empty bundle_id takes it back."),
    .init(
      "TypeOfDocument", [.init("url", "s"), .init("options", "a{sv}")],
      returns: [.init("type", "a{sv}")],
      """
      The 'type' of a file, 'why', its 'description' where it has one, and all it 'conforms-to', the \
      nearest first.
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
  /// Value of the option `documents` of a check-in: they come as open files.
  package static let descriptors = "descriptors"
  /// A document that is open for reading.
  package static let descriptor = "descriptor"
  package static let error = "error"
  package static let message = "message"
  package static let why = "why"
  package static let description = "description"
  package static let conformsTo = "conforms-to"
}

/// Documents that one call may open.
package enum DocumentLimit {
  package static let mostDocuments = 1000
  /// In bytes, all URLs together.
  package static let mostBytes = 1 << 20
}
