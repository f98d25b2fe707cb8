internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules

/// An argument that names something with handlers: a MIME type is one such as `text/html`, another path contains a `/`,
/// a type contains a `.`, and a scheme neither. A file in a folder with the name of a media type is written with `./`.
/// A scheme that contains a `.` is written with a `:` at its end.
enum HandledSubject: Equatable {
  case scheme(URLScheme)
  case type(TypeIdentifier)
  /// In lower case.
  case mimeType(String)
  /// The unchanged path.
  case file(String)

  /// Fails with `ExitCode.usage`.
  init(_ text: String) throws(CommandFailure) {
    if let end = text.firstRange(of: "://")?.lowerBound,
      let scheme = URLScheme(String(text[..<end]))
    {
      throw .usage("'\(text)' is not a URL scheme; give its name alone: \(scheme)")
    } else if let type = MIMETypeName.name(text) {
      let scheme = SchemeType.scheme(of: type)
      self = scheme.map(Self.scheme) ?? .mimeType(type)
    } else if text.contains("/") {
      self = .file(text)
    } else if text.hasSuffix(":"), text.contains("."),
      let scheme = URLScheme(String(text.dropLast()))
    {
      self = .scheme(scheme)
    } else if text.contains("."), let type = TypeIdentifier(text) {
      self = .type(type)
    } else if let scheme = URLScheme(text), !text.contains(".") {
      self = .scheme(scheme)
    } else if let colon = text.firstIndex(of: ":"),
      let scheme = URLScheme(String(text[..<colon]))
    {
      throw .usage("'\(text)' is not a URL scheme; give its name alone: \(scheme)")
    } else {
      throw .usage("'\(text)' is not a URL scheme; give its name alone, such as 'mailto'")
    }
  }

  /// The key in JSON, and a phrase for messages.
  var words: (key: String, phrase: String) {
    switch self {
    case .scheme(let scheme): ("scheme", "handles the scheme '\(scheme)'")
    case .type(let type): ("type", "opens files of type '\(type)'")
    case .mimeType(let type): ("type", "opens files of the MIME type '\(type)'")
    case .file(let path): ("file", "opens the file '\(path)'")
    }
  }

  var text: String {
    switch self {
    case .scheme(let scheme): scheme.text
    case .type(let type): type.text
    case .mimeType(let type): type
    case .file(let path): path
    }
  }
}
