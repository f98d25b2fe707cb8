package import DBus
internal import LaunchRules

// The methods and keys for documents.

extension Contract {
  static let documentsOfWorkspace: [InterfaceDescription.Method] = [
    .init(
      "OpenDocuments",
      [
        .init(
          "urls", "as",
          """
          The `file:` URLs: at most \(DocumentLimit.mostDocuments) URLs with \
          \(DocumentLimit.mostBytes) bytes together.
          """),
        .init("options", "a{sv}", "The options.", OpenOptions.description),
      ],
      returns: [
        .init(
          "receipts", "aa{sv}",
          """
          For each delivery a receipt with `documents`; for each failed delivery `error`, `message` \
          and `documents`.
          """,
          DictionaryDescription(
            [
              .init(Key.documents, "as", "The URLs of the delivery."),
              .init(
                Key.error, "s",
                "The name of the error, without `\(OpenFailure.prefix)` before it."),
              .init(Key.message, "s", "The text of the error."),
            ], Receipt.description.entries))
      ],
      """
      Opens documents, named by `file:` URLs, with the application of the option `application`, \
      otherwise with the application for each document. The documents of one application are delivered \
      together, in order. Returns when all results are known. OpenURL does the same with one `file:` \
      URL. With a `request-id`, a repeated call receives the same results, whichever applications would \
      open the documents now. Call OpenDocuments without a timeout.
      """)
  ]

  private static let documentURL = InterfaceDescription.Argument(
    "url", "s", "The `file:` URL of the document.")

  static let documentsOfRegistry: [InterfaceDescription.Method] = [
    .init(
      "HandlersOfDocument", [documentURL, .noOptions], returns: .handlersWithReasons,
      """
      Returns the applications that can open the file of a `file:` URL, best first, each with the reason \
      for its position.
      """),
    .init(
      "HandlersOfType",
      [
        .init(
          "type", "s",
          "The identifier of the type, for example `public.plain-text`, or a MIME type, for example `text/html`."
        ),
        .noOptions,
      ],
      returns: .handlersWithReasons,
      """
      Returns the applications that can open documents of a type, best first, each with the reason \
      for its position.
      """),
    .init(
      "SetDefaultHandlerOfType",
      [
        .init("type", "s", "The identifier of the type, or a MIME type."), .chosenHandler,
        .noOptions,
      ], returns: [],
      "Sets the user's choice for a type."),
    .init(
      "SetHandlerOfDocument", [documentURL, .chosenHandler, .noOptions], returns: [],
      """
      Sets the user's choice for one file. The choice is that of the path of the file.
      """),
    .init(
      "TypeOfDocument", [documentURL, .noOptions],
      returns: [
        .init(
          "type", "a{sv}", "The type.",
          DictionaryDescription([
            .init(Key.type, "s", "The identifier of the type."),
            .init(Key.why, "s", "The reason for the type."),
            .init(Key.description, "s", "The description of the type, if the type has one."),
            .init(
              Key.conformsTo, "as", "All types that the type conforms to, nearest first."),
          ]))
      ],
      "Returns the type of a file, and the reason."),
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
