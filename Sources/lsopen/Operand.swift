internal import BusContract
internal import Commands
internal import LaunchRules

/// What one argument asks to be opened.
struct Operand: Equatable, ExpressibleByStringLiteral {
  let text: String
  /// It was given with `--url`.
  var isURL = false

  init(_ text: String, isURL: Bool = false) {
    self.text = text
    self.isURL = isURL
  }

  init(stringLiteral text: String) { self.init(text) }

  /// It begins as a URL does, with a scheme (R7.1).
  var hasFormOfURL: Bool {
    text.firstIndex(of: ":").map { URLScheme(String(text[..<$0])) != nil } ?? false
  }
}

extension OpenCommand {
  /// What an operand stands for.
  enum Target: Equatable {
    case url(String)
    /// The absolute path of a bundle, which is launched (R6.15).
    case application(String)
  }

  /// An argument in the form of a URL is one; everything else is the path of a file (R7.1).
  /// - Parameter prefix: what begins a remark on it.
  func target(
    _ operand: Operand, hasApplication: Bool, prefix: String = ""
  ) throws(CommandFailure) -> Target {
    if operand.isURL || operand.hasFormOfURL {
      if !operand.isURL, FilePath.exists(FilePath.absolute(operand.text, from: folder)) {
        output.complain(
          "\(prefix)there is a file of this name, too; write ./\(operand.text) to open it")
      }
      return .url(try decodable(operand.text))
    }
    let path = try file(operand)
    return !hasApplication && FilePath.isApplication(path)
      ? .application(try decodable(path)) : .url(FilePath.url(path))
  }

  /// A bundle, which is launched unless an application is to open it.
  func isApplication(_ operand: Operand) -> Bool {
    !operand.isURL && !operand.hasFormOfURL
      && FilePath.isApplication(FilePath.absolute(operand.text, from: folder))
  }

  /// The URL of an operand about which something is asked.
  func url(_ operand: Operand) throws(CommandFailure) -> String {
    operand.hasFormOfURL ? try decodable(operand.text) : FilePath.url(try file(operand))
  }

  /// The absolute path of something that exists.
  func file(_ operand: Operand) throws(CommandFailure) -> String {
    let path = FilePath.absolute(operand.text, from: folder)
    try FilePath.requireFile(path)
    return path
  }

  /// What goes over the bus as text must be UTF-8.
  func decodable(_ text: String) throws(CommandFailure) -> String {
    guard text.holdsEscapedBytes else { return text }
    throw .notUTF8(text)
  }
}

extension CommandFailure {
  static func notUTF8(_ text: String) -> CommandFailure {
    .usage("'\(text)' is not UTF-8, which only names of files need not be")
  }
}
