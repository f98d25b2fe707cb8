internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules

/// What has handlers, as people write it: a path has a `/`, a type a `.`, and a scheme neither; one that has a `.`
/// is written with a `:` behind it.
enum HandledSubject: Equatable {
  case scheme(URLScheme)
  case type(TypeIdentifier)
  /// As written.
  case file(String)

  /// Fails with `ExitCode.usage`.
  init(_ text: String) throws(CommandFailure) {
    if text.contains("/") {
      self = .file(text)
    } else if text.hasSuffix(":"), text.contains("."),
      let scheme = URLScheme(String(text.dropLast()))
    {
      self = .scheme(scheme)
    } else if text.contains("."), let type = TypeIdentifier(text) {
      self = .type(type)
    } else if let scheme = URLScheme(text), !text.contains(".") {
      self = .scheme(scheme)
    } else {
      throw .usage("'\(text)' is not a URL scheme; give its name alone, such as 'mailto'")
    }
  }

  /// The key in JSON, and what a person reads.
  var words: (key: String, phrase: String) {
    switch self {
    case .scheme(let scheme): ("scheme", "handles the scheme '\(scheme)'")
    case .type(let type): ("type", "opens files of type '\(type)'")
    case .file(let path): ("file", "opens the file '\(path)'")
    }
  }

  var text: String {
    switch self {
    case .scheme(let scheme): scheme.text
    case .type(let type): type.text
    case .file(let path): path
    }
  }
}

extension RegisterCommand {
  /// The identifiers of those that handle it, best first, with their reasons.
  func handlers(
    of subject: HandledSubject
  ) throws(CommandFailure) -> [(identifier: String, reason: String)] {
    let answer =
      switch subject {
      case .scheme(let scheme): try call(Contract.handlers(scheme.text))
      case .type(let type): try call(Contract.handlers(ofType: type.text))
      case .file(let path): try call(Contract.handlers(ofDocument: try url(path)))
      }
    let identifiers = answer.first?.asStrings ?? []
    let reasons = answer.dropFirst().first?.asStrings ?? []
    return identifiers.indices.map { index in
      (identifiers[index], index < reasons.count ? reasons[index] : "-")
    }
  }

  /// - Parameter identifier: empty to take the user's choice back.
  func choose(_ identifier: String, for subject: HandledSubject) throws(CommandFailure) {
    switch subject {
    case .scheme(let scheme):
      _ = try call(Contract.setDefaultHandler(scheme.text, identifier))
    case .type(let type):
      _ = try call(Contract.setDefaultHandler(ofType: type.text, identifier))
    case .file(let path):
      // The choice for a file that has gone can be taken back.
      let url =
        identifier.isEmpty ? FilePath.url(FilePath.absolute(path, from: folder)) : try url(path)
      _ = try call(Contract.setHandler(ofDocument: url, identifier))
    }
  }

  /// The type of a file, why, and what it conforms to.
  func type(of path: String, json: Bool) throws(CommandFailure) {
    let answer = try call(Contract.type(ofDocument: try url(path))).first?.asOptions ?? [:]
    if json { return output.print(JSON.text(answer)) }
    func text(_ key: String) -> String { answer[key]?.asString ?? "-" }
    var rows = [["type", text(Key.type)], ["why", text(Key.why)]]
    if let description = answer[Key.description]?.asString {
      rows.append([Key.description, description])
    }
    rows += (answer[Key.conformsTo]?.asStrings ?? []).map { [Key.conformsTo, $0] }
    output.print(Columns.lines(rows))
  }

  private func url(_ path: String) throws(CommandFailure) -> String {
    DocumentURL.isOne(path) ? path : FilePath.url(try existing(path))
  }
}
