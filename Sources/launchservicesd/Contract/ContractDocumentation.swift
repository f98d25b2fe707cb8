internal import BusContract
internal import DBus

/// The D-Bus interfaces in documents. Committed files contain the same text, and a test compares them;
/// `Tests/update-documents` updates the files.
nonisolated enum ContractDocumentation {
  /// The manual page org.launchservices.LaunchServices1(5), the reference of the guide DBusContract, or the
  /// introspection data of all interfaces.
  static func text(_ format: ContractFormat) -> String {
    switch format {
    case .roff: manualPage
    case .markdown: guide
    case .xml: InterfaceDescription.document(interfaces: interfaces)
    }
  }

  static let interfaces = Contract.interfaces + Contract.clientInterfaces

  /// What counts for all calls.
  static let rules = [
    "The service ignores unknown options.",
    "A known option of the wrong type fails with `org.freedesktop.DBus.Error.InvalidArgs`.",
    "The options of one call have at most \(OpenOptions.maximumByteCount) bytes together.",
    """
    The service limits the duration of each step of an open. Where a description says so, call without a \
    timeout.
    """,
    "A signal that a method subscribes to is sent to that connection only.",
    "An error does not tell an iOS application which application failed.",
    """
    The words of a handler that refuses a URL reach the opener. The log and the record keep these words \
    only if the URL has no query and no fragment.
    """,
  ]

  static let errorsIntroduction =
    "The text of an error of an open ends with the OSStatus number that Apple's systems have for the error."

  // MARK: Parts

  /// The dictionaries that several arguments have, in the order of the interfaces.
  static let sharedDictionaries: [DictionaryDescription] = {
    var found: [DictionaryDescription] = []
    func look(_ dictionary: DictionaryDescription?) {
      guard let dictionary else { return }
      if let title = dictionary.title {
        guard !found.contains(where: { $0.title == title }) else { return }
        found.append(dictionary)
      }
      for entry in dictionary.entries { look(entry.dictionary) }
    }
    for interface in interfaces {
      for argument in interface.methods.flatMap({ $0.inputs + $0.outputs })
        + interface.signals.flatMap(\.arguments)
      {
        look(argument.dictionary)
      }
    }
    return found
  }()

  /// The last part of the name.
  static func shortName(_ interface: InterfaceDescription) -> String {
    interface.name.text.split(separator: ".").last.map(String.init) ?? ""
  }

  /// The call as the D-Bus specification writes calls, such as `Ping() → ()`.
  static func synopsis(_ method: InterfaceDescription.Method, arrow: String) -> String {
    let results = method.outputs.isEmpty ? "" : " \(arrow) " + list(method.outputs)
    return "\(method.name) (\(list(method.inputs)))" + results
  }

  static func list(_ arguments: [InterfaceDescription.Argument]) -> String {
    arguments.map { "\($0.type) \($0.name)" }.joined(separator: ", ")
  }

  /// The sentence about an argument or key, with the place of its keys when they are described elsewhere.
  static func sentence(_ documentation: String, _ dictionary: DictionaryDescription?) -> String {
    guard let title = dictionary?.title else { return documentation }
    return "\(documentation) See \(title) below."
  }

  /// The text that follows the name of an error.
  static func sentence(_ error: ErrorDescription) -> String {
    guard let status = error.status else { return error.documentation }
    return "\(error.documentation) OSStatus \(status)."
  }
}
