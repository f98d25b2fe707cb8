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

  /// It is written as browsers let people write sites, without a scheme.
  var looksLikeSite: Bool {
    let host = text.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count > 1, WebHost(String(host)) != nil else { return false }
    return labels.first == "www" || Self.topLevelDomains.contains(labels.last?.lowercased() ?? "")
  }

  /// Those that seldom end the name of a file.
  private static let topLevelDomains = ["com", "org", "net", "edu", "gov", "io", "dev"]
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
    _ operand: Operand, hasApplication: Bool, isVerbatim: Bool = false, prefix: String = ""
  ) throws(CommandFailure) -> Target {
    if operand.isURL || operand.hasFormOfURL {
      if !operand.isURL, FilePath.exists(FilePath.absolute(operand.text, from: folder)) {
        output.complain(
          "\(prefix)there is a file of this name, too; write ./\(operand.text) to open it")
      }
      return .url(try tell(url(operand, isVerbatim: isVerbatim), operand, prefix: prefix))
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

  /// The URL that an operand stands for.
  /// - Parameter isVerbatim: it is sent as it is written.
  func url(_ operand: Operand, isVerbatim: Bool) throws(CommandFailure) -> String {
    guard operand.isURL || operand.hasFormOfURL else { return FilePath.url(try file(operand)) }
    let text = try decodable(operand.text)
    return isVerbatim || !operand.hasFormOfURL ? text : URLEncoding.encoded(text) ?? text
  }

  /// The URL of an operand about which something is asked.
  func urlInQuestion(
    _ operand: Operand, _ invocation: OpenInvocation
  ) throws(CommandFailure) -> String {
    guard !operand.hasFormOfURL, let scheme = URLScheme(operand.text) else {
      return tell(try url(operand, isVerbatim: invocation.isVerbatim), operand)
    }
    do throws(CommandFailure) {
      return FilePath.url(try file(operand))
    } catch {
      throw CommandFailure(
        error.code, "\(error.reason) About a scheme is asked with a colon: \(scheme):",
        error: error.error)
    }
  }

  /// Says on a terminal what became of a URL before it is sent.
  private func tell(_ url: String, _ operand: Operand, prefix: String = "") -> String {
    if showsRemarks, operand.hasFormOfURL, url != operand.text {
      output.complain(
        "\(prefix)percent-encoded what may not stand in a URL: \(url); --verbatim leaves it as it is"
      )
    }
    return url
  }

  /// The absolute path of something that exists.
  func file(_ operand: Operand) throws(CommandFailure) -> String {
    let path = FilePath.absolute(operand.text, from: folder)
    do throws(CommandFailure) {
      try FilePath.requireFile(path)
    } catch {
      guard error.code == .noSuchFile, operand.looksLikeSite else { throw error }
      throw CommandFailure(
        .noSuchFile, "\(error.reason) For the site write https://\(operand.text)")
    }
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
