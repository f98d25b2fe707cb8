internal import AssociationFiles
internal import Commands
internal import Host
internal import LaunchRules

/// The program `launchservices-links`: fetches the association file of one site, and stores it if it is
/// valid.
@main enum LinksProgram {
  static func main() {
    let output = Output.ofProcess(command: AssociationFile.fetcher)
    do throws(CommandFailure) {
      let invocation = try LinksInvocation(try ProcessArguments.all())
      switch invocation.action {
      case .help: LinksInvocation.help.print(to: output)
      case .version: output.print("\(output.command) \(version)")
      case .fetch(let site, let path): end(fetch(site, to: path, output))
      }
      ProcessArguments.end(.success)
    } catch {
      output.complain(error)
      ProcessArguments.end(error.code)
    }
  }

  private static func fetch(_ site: Site, to path: String, _ output: Output) -> FetchResult {
    do throws(Site.Failure) {
      let bytes = try site.file()
      let reading = AssociationFileReading(bytes, at: "https://\(site.domain)")
      guard reading.file != nil else {
        for diagnostic in reading.diagnostics { output.complain(diagnostic.description) }
        return .unreadable
      }
      do throws(FileError) {
        try AtomicFile.write(bytes, to: path, followsLinks: false)
      } catch {
        output.complain("\(error)")
        return .notStored
      }
      return .fetched
    } catch {
      output.complain("\(site.domain): \(error.reason)")
      return error.result
    }
  }

  private static func end(_ result: FetchResult) -> Never {
    ProcessArguments.end(status: result.rawValue)
  }
}

/// The options of `launchservices-links`.
enum LinksFlag: CommandOption {
  case server, certificates, help, version

  var spelling: OptionSpelling {
    switch self {
    case .server: .init("server", .one("ADDRESS:PORT"), help: "ask there instead; for tests")
    case .certificates:
      .init(
        "certificates", .one("FILE"),
        help: "trust these certificates instead of the system's; for tests")
    case .help: .init("help", short: "h", help: "print this text")
    case .version: .init("version", help: "print the version")
    }
  }
}

/// The contents of one command line of `launchservices-links`.
struct LinksInvocation {
  enum Action {
    case fetch(Site, path: String)
    case help
    case version
  }

  let action: Action

  init(_ arguments: [String]) throws(CommandFailure) {
    var operands: [String] = []
    var values: [LinksFlag: String] = [:]
    for argument in try Argument<LinksFlag>.parse(arguments) {
      switch argument {
      case .operand(let operand): operands.append(operand)
      case .option(let flag, let value): values[flag] = value
      }
    }
    if values[.help] != nil {
      action = .help
    } else if values[.version] != nil {
      action = .version
    } else {
      guard operands.count == 2 else { throw .usage("DOMAIN and FILE are needed") }
      guard let domain = WebHost(operands[0]), domain.isFullyQualified else {
        throw .usage("'\(operands[0])' is not a host such as example.com")
      }
      guard operands[1].hasPrefix("/") else { throw .usage("FILE must be an absolute path") }
      action = .fetch(
        Site(domain: domain, server: values[.server], certificates: values[.certificates]),
        path: operands[1])
    }
  }

  static var help: HelpText {
    var help = HelpText(
      usage: ["launchservices-links [OPTION]... DOMAIN FILE"],
      purpose: [
        "", "Asks https://DOMAIN for its apple-app-site-association file and writes it to FILE.",
        "launchservicesd starts it; people call 'lsregister links refresh'.",
      ])
    help.options(LinksFlag.allCases)
    help.section(
      "Exit status", FetchResult.allCases.flatMap { ["\($0.rawValue)", $0.sentence] })
    return help
  }
}
