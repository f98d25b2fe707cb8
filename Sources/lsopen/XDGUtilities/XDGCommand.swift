internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules

/// Executes one command line of xdg-utils: `xdg-open`, and of `xdg-mime` and `xdg-settings` what concerns the handler of
/// a scheme and the type of a file. All other command lines belong to the next command of the same name in `PATH`.
struct XDGCommand {
  let utility: XDGUtility
  let command: OpenCommand
  /// Shows a manual page.
  let showManual: (String) -> XDGUtility.Status
  /// Whether the user's associations changed a moment ago, so that the daemon may not have read them.
  var mayBeOutdated: () -> Bool = { RecentAssociations().haveChanged() }

  private typealias Outcome = XDGUtility.Outcome

  func run(_ arguments: [String]) -> XDGUtility.Outcome {
    switch arguments {
    case ["--help"]:
      help.print(to: command.output)
      return .status(.success)
    case ["--version"]:
      command.output.print("\(utility.rawValue) of lsopen \(version)")
      return .status(.success)
    case ["--manual"]: return .status(showManual("lsopen"))
    default: break
    }
    switch utility {
    case .open: return open(arguments)
    case .mime: return query(arguments)
    case .settings: return schemeHandler(arguments)
    }
  }

  // MARK: xdg-open

  private func open(_ arguments: [String]) -> XDGUtility.Outcome {
    if let option = arguments.first(where: { $0.hasPrefix("-") }) {
      return syntaxError("unexpected option '\(option)'")
    }
    guard let target = arguments.first, !target.isEmpty else {
      return syntaxError("file or URL argument missing")
    }
    guard arguments.count == 1 else { return syntaxError("unexpected argument '\(arguments[1])'") }
    // Nothing may be sent before another command opens the URL, so the daemon is asked first.
    if let reason = unreachable() {
      return .passOn(otherwise: .toolMissing, reason: reason)
    }
    var command = command
    command.passesOnAnyCharacters = Self.mayNeedEncoding(target)
    return .status(Self.status(of: command.run(["--", target])))
  }

  /// Whether the text is a URL that may contain characters which RFC 3986 does not allow at their places. A file URL
  /// names the same file in both forms, so it is encoded.
  private static func mayNeedEncoding(_ text: String) -> Bool {
    Operand(text).hasFormOfURL && !DocumentURL.isOne(text)
      && text.utf8.contains { $0 <= 0x20 || $0 > 0x7E || "\"<>\\^`{|}[]%#".utf8.contains($0) }
  }

  /// The reason why the daemon cannot be reached; nil when it answers.
  private func unreachable() -> String? {
    do throws(ServiceFailure) {
      _ = try command.service.call(Contract.registryProperty("Generation"), Service.patience)
      return nil
    } catch {
      // A refusal is an answer, too.
      let failure = CommandFailure(error)
      return failure.code == .serviceUnreachable ? failure.reason : nil
    }
  }

  private static func status(of code: ExitCode) -> XDGUtility.Status {
    switch code {
    case .success: .success
    case .usage: .syntaxError
    case .noSuchFile: .noSuchFile
    case .serviceUnreachable: .toolMissing
    case .no, .failed: .failed
    }
  }

  // MARK: xdg-mime

  private static let schemePrefix = "x-scheme-handler/"

  /// `query default x-scheme-handler/SCHEME` and `query filetype FILE`
  private func query(_ arguments: [String]) -> XDGUtility.Outcome {
    guard arguments.count == 3, arguments[0] == "query" else { return notAnswered }
    if arguments[1] == "filetype" { return .performOnDesktop(["filetype", arguments[2]]) }
    guard arguments[1] == "default", arguments[2].hasPrefix(Self.schemePrefix),
      let scheme = URLScheme(String(arguments[2].dropFirst(Self.schemePrefix.count)))
    else { return notAnswered }
    return answering(scheme) { entry in
      if let entry { command.output.print(entry) }
    }
  }

  // MARK: xdg-settings

  private static let property = "default-url-scheme-handler"

  /// `get default-url-scheme-handler SCHEME`, and `check` and `set default-url-scheme-handler SCHEME ENTRY`
  private func schemeHandler(_ arguments: [String]) -> XDGUtility.Outcome {
    guard arguments.count >= 2, arguments[1] == Self.property,
      ["get", "check", "set"].contains(arguments[0])
    else { return notAnswered }
    guard arguments.count > 2 else {
      return syntaxError("a URL scheme is missing after \(Self.property)")
    }
    guard arguments[0] == "get" || arguments.count > 3 else {
      return syntaxError("a desktop entry is missing after the scheme \(arguments[2])")
    }
    guard let scheme = URLScheme(arguments[2]) else { return notAnswered }
    switch (arguments[0], arguments.count) {
    case ("get", 3):
      return answering(scheme) { entry in
        if let entry { command.output.print(entry) }
      }
    case ("check", 4):
      return answering(scheme) { entry in
        command.output.print(entry == arguments[3] ? "yes" : "no")
      }
    case ("set", 4):
      // The xdg-settings of xdg-utils 1.1.3 also makes the application the default for web pages.
      return .performOnDesktop(["default", scheme.text, arguments[3]])
    default: return notAnswered
    }
  }

  // MARK: Handlers of schemes

  private func answering(
    _ scheme: URLScheme, _ body: (String?) -> Void
  ) -> XDGUtility.Outcome {
    // As after xdg-settings set: the answer comes from the new lists.
    if mayBeOutdated() {
      _ = try? command.service.call(Contract.reload(), Service.patience)
    }
    do throws(CommandFailure) {
      body(try desktopEntry(forHandlerOf: scheme))
      return .status(.success)
    } catch {
      let status: XDGUtility.Status = error.code == .serviceUnreachable ? .toolMissing : .failed
      return .passOn(otherwise: status, reason: error.reason)
    }
  }

  /// The desktop file ID of the application that opens URLs of the scheme; nil without an application, and for an
  /// application without a desktop entry.
  private func desktopEntry(
    forHandlerOf scheme: URLScheme
  ) throws(CommandFailure) -> String? {
    do throws(ServiceFailure) {
      let name =
        try command.service.call(Contract.defaultHandler(scheme.text), Service.patience).first?
        .asString ?? ""
      let found = try command.service.call(
        Contract.findApplications(.identifier(name)), Service.patience)
      let application = found.first?.asOptionsList?.first
      if application?[Key.origin]?.asString == InstalledApplication.Origin.desktopEntry.rawValue {
        return name
      }
      let exports = try command.service.call(
        Contract.registryProperty("DesktopExport"), Service.patience)
      guard exports.first?.asBooleanInVariant == true, let identifier = BundleIdentifier(name)
      else {
        return nil
      }
      return DesktopEntryName.file(of: identifier)
    } catch {
      if case .refused(let refusal) = error,
        Contract.shortName(of: refusal) == "ApplicationNotFound"
      {
        return nil
      }
      throw CommandFailure(error)
    }
  }

  // MARK: Errors

  private var notAnswered: XDGUtility.Outcome {
    .passOn(
      otherwise: .toolMissing,
      reason: "lsopen performs this command line only with \(utility.rawValue) of the package"
        + " xdg-utils, which is not in PATH")
  }

  private func syntaxError(_ reason: String) -> XDGUtility.Outcome {
    command.output.complain(reason)
    command.output.printError(["Try '\(utility.rawValue) --help' for more information."])
    return .status(.syntaxError)
  }

  private var help: HelpText {
    let passedOn =
      "All else is passed on to the next \(utility.rawValue) in PATH. This is lsopen(1) under another name."
    var help =
      switch utility {
      case .open:
        HelpText(
          usage: ["xdg-open { FILE | URL }", "xdg-open { --help | --manual | --version }"],
          purpose: [
            "",
            "Opens the file or URL as lsopen(1) does, and waits until the application has received it. If"
              + " launchservicesd cannot be reached, the next xdg-open in PATH opens the file or URL.",
          ])
      case .mime:
        HelpText(
          usage: [
            "xdg-mime query default x-scheme-handler/SCHEME", "xdg-mime query filetype FILE",
            "xdg-mime { --help | --manual | --version }",
          ],
          purpose: [
            "",
            "Prints the desktop entry of the application that opens URLs of the scheme, or the MIME type of the"
              + " file. " + passedOn,
          ])
      case .settings:
        HelpText(
          usage: [
            "xdg-settings get default-url-scheme-handler SCHEME",
            "xdg-settings check default-url-scheme-handler SCHEME ENTRY",
            "xdg-settings set default-url-scheme-handler SCHEME ENTRY",
            "xdg-settings { --help | --manual | --version }",
          ],
          purpose: [
            "",
            "Prints the desktop entry of the application that opens URLs of the scheme, or whether ENTRY is"
              + " that desktop entry. With set, makes ENTRY the default for the scheme, and for nothing else. "
              + passedOn,
          ])
      }
    help.section(
      "Exit status",
      [
        "0", "done", "1", "the command was written wrongly", "2", "a file does not exist",
        "3", "launchservicesd or another command is missing", "4", "the action failed",
      ])
    return help
  }
}
