internal import Commands

/// A command line of macOS's `lsregister`, which has options with one dash (R7.9).
struct MacInvocation: Equatable {
  enum Search: Equatable {
    /// Bundles directly in a folder.
    case folder
    /// Also in subfolders, except in bundles and hidden folders.
    case recursive
    case everywhere
  }

  /// `-kill`: first removes all registrations by path.
  var forgetsAll = false
  /// `-gc`: removes the registrations with missing files.
  var forgetsMissing = false
  /// Whether the application folders are read again.
  var rescans = false
  var lints = false
  var unregisters = false
  var dumps = false
  var isVerbose = false
  var showsHelp = false
  var search = Search.folder
  /// The unchanged paths.
  var paths: [String] = []

  /// The names of domains; the first letter is sufficient. All domains are read in any case.
  private static let domains = ["system", "local", "network", "user"]
  private static let unsupported = [
    "-delete": "'-kill' forgets the registrations",
    "-convert": "there is nothing to convert",
    "-load": "there is nothing to load",
    "-libs": "applications are not looked for among libraries",
    "-lazy": "write: sleep SECONDS; lsregister ...",
  ]
  private static let known: Set<String> = [
    "-kill", "-gc", "-seed", "-lint", "-u", "-f", "-v", "-r", "-R", "-dump", "-domain", "-apps",
    "-all",
  ]

  /// Nil for a command line that is not in the form of macOS. Fails with `ExitCode.usage`.
  init?(_ arguments: [String]) throws(CommandFailure) {
    guard let first = arguments.first, Self.known.contains(first) || Self.unsupported[first] != nil
    else { return nil }
    var rest = arguments[...]
    var registers = false
    while let argument = rest.popFirst() {
      switch argument {
      case "-kill": forgetsAll = true
      case "-gc": forgetsMissing = true
      case "-seed": rescans = true
      case "-lint": lints = true
      case "-u": unregisters = true
      case "-f": registers = true
      case "-v": isVerbose = true
      case "-h":
        showsHelp = true
        return
      case "-r": if search == .folder { search = .recursive }
      case "-R": search = .everywhere
      case "-dump":
        dumps = true
        if let table = rest.first, !table.hasPrefix("-") {
          throw .usage("option '-dump' prints everything, not the table '\(table)'")
        }
      case "-domain", "-apps", "-all":
        try Self.checkDomains(rest.popFirst(), of: argument)
        rescans = true
      case _ where argument.hasPrefix("-"):
        let instead = Self.unsupported[argument].map { ": \($0)" } ?? ""
        throw .usage("option '\(argument)' of macOS is not supported here\(instead)")
      case "": throw .usage("an empty argument is not a path")
      default: paths.append(argument)
      }
    }
    if registers, unregisters { throw .usage("options '-f' and '-u' exclude each other") }
    let acts = forgetsAll || forgetsMissing || rescans || lints || dumps
    if paths.isEmpty, registers && !rescans || unregisters || !acts {
      throw .usage("there is no path to \(unregisters ? "unregister" : "register")")
    }
  }

  private static func checkDomains(
    _ text: String?, of option: String
  ) throws(CommandFailure) {
    guard let text, !text.isEmpty else { throw .usage("option '\(option)' needs a domain") }
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard !name.isEmpty, domains.contains(where: { $0 == name || $0.prefix(1) == name }) else {
        throw .usage(
          "option '\(option)' needs some of \(domains.joined(separator: ", ")), not '\(name)'")
      }
    }
  }
}
