internal import BusContract
internal import Commands
internal import InternationalHosts
internal import LaunchRules

/// One argument to be opened.
struct Operand: Equatable, ExpressibleByStringLiteral {
  let text: String
  /// Whether it was given with `--url`.
  var isURL = false

  init(_ text: String, isURL: Bool = false) {
    self.text = text
    self.isURL = isURL
  }

  init(stringLiteral text: String) { self.init(text) }

  /// Whether it begins with a scheme, like a URL (R7.1).
  var hasFormOfURL: Bool {
    text.firstIndex(of: ":").map { URLScheme(String(text[..<$0])) != nil } ?? false
  }

  /// Whether it looks like a web site without a scheme, as accepted by browsers.
  var looksLikeSite: Bool {
    let host = text.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count > 1, WebHost(String(host)) != nil else { return false }
    return labels.first?.lowercased() == "www"
      || Self.topLevelDomains.contains(labels.last?.lowercased() ?? "")
  }

  /// Whether it looks like a web site with a port and without a scheme, such as `localhost:8080`.
  var looksLikeSiteWithPort: Bool {
    guard let colon = text.firstIndex(of: ":") else { return false }
    let host = text[..<colon]
    let port = text[text.index(after: colon)...].prefix { !"/?#".contains($0) }
    return UInt16(port) != nil
      && (host.lowercased() == "localhost" || Operand(String(host)).looksLikeSite)
  }

  /// The hint for a text that is no file, but may be the scheme of a URL; nil when it cannot be one.
  private var schemeHint: String? {
    text.utf8.contains(UInt8(ascii: ".")) || URLScheme(text) == nil
      ? nil : "To open a URL, write a colon after its scheme: \(text):"
  }

  /// Adds the next step to the failure of an open.
  func advising(_ failure: CommandFailure) -> CommandFailure {
    let hint: String? =
      if failure.error == "ApplicationNotFound", looksLikeSiteWithPort {
        "; to open the site, write https://\(text)"
      } else if failure.code == .noSuchFile, !isURL, !hasFormOfURL, !looksLikeSite, let schemeHint {
        " \(schemeHint)"
      } else {
        nil
      }
    guard let hint else { return failure }
    return CommandFailure(failure.code, failure.reason + hint, error: failure.error)
  }

  /// Top-level domains that are rarely file name extensions.
  private static let topLevelDomains = ["com", "org", "net", "edu", "gov", "io", "dev"]
}

extension OpenCommand {
  /// The target of an operand.
  enum Target: Equatable {
    case url(String)
    /// Absolute path of a bundle, which is launched (R6.15).
    case application(String)
  }

  /// The target: a URL if the argument has the form of a URL, otherwise the path of a file (R7.1).
  /// - Parameter prefix: prefix of remarks about the operand.
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

  /// Whether the operand is a bundle to be launched. It is not launched if an application is designated to
  /// open it.
  func isApplication(_ operand: Operand) -> Bool {
    !operand.isURL && !operand.hasFormOfURL
      && FilePath.isApplication(FilePath.absolute(operand.text, from: folder))
  }

  /// The URL of an operand.
  /// - Parameter isVerbatim: whether the URL is sent unchanged.
  func url(_ operand: Operand, isVerbatim: Bool) throws(CommandFailure) -> String {
    guard operand.isURL || operand.hasFormOfURL else { return FilePath.url(try file(operand)) }
    let text = try decodable(operand.text)
    guard operand.hasFormOfURL || text.hasPrefix("/") else {
      throw CommandFailure(
        .failed,
        "'\(text)' is no URL: a URL begins with a scheme and a colon, like myapp:, and the path of a file"
          + " with /", error: "InvalidURL")
    }
    guard !isVerbatim, !passesOnAnyCharacters, operand.hasFormOfURL else { return text }
    do throws(InternationalHost.NotConvertible) {
      return try URLEncoding.encoded(text) ?? text
    } catch {
      throw CommandFailure(.failed, NonASCIIHost.problem(error.host), error: "InvalidURL")
    }
  }

  /// The URL of the operand of a query.
  func urlInQuestion(
    _ operand: Operand, _ invocation: OpenInvocation
  ) throws(CommandFailure) -> String {
    guard !operand.hasFormOfURL, let scheme = URLScheme(operand.text) else {
      return tell(try url(operand, isVerbatim: invocation.isVerbatim), operand)
    }
    do throws(CommandFailure) {
      return FilePath.url(try file(operand))
    } catch {
      guard !operand.looksLikeSite else { throw error }
      throw CommandFailure(
        error.code,
        "\(error.reason) To ask about a scheme, write a colon after the scheme: \(scheme):",
        error: error.error)
    }
  }

  /// Shows on a terminal how a URL was changed before it is sent.
  private func tell(_ url: String, _ operand: Operand, prefix: String = "") -> String {
    if showsRemarks, operand.hasFormOfURL, url != operand.text {
      output.complain(
        "\(prefix)encoded characters that are not allowed in a URL: \(url); use"
          + " --verbatim to send the text unchanged"
      )
    }
    return url
  }

  /// The absolute path of an existing file.
  func file(_ operand: Operand) throws(CommandFailure) -> String {
    let path = FilePath.absolute(operand.text, from: folder)
    do throws(CommandFailure) {
      try FilePath.requireFile(path)
    } catch {
      guard error.code == .noSuchFile, operand.looksLikeSite else { throw error }
      throw CommandFailure(
        .noSuchFile, "\(error.reason) To open the site, write https://\(operand.text)")
    }
    return path
  }

  /// Checks that the text is valid UTF-8, as D-Bus requires.
  func decodable(_ text: String) throws(CommandFailure) -> String {
    guard text.hasEscapedBytes else { return text }
    throw .notUTF8(text)
  }
}

extension CommandFailure {
  static func notUTF8(_ text: String) -> CommandFailure {
    .usage("'\(text)' is not UTF-8; only names of files may have another encoding")
  }
}
