internal import AssociationFiles
internal import Commands
internal import Host
internal import LaunchRules

/// The program `launchservices-links`: fetches the association file of one site, and stores it if it is
/// valid.
@main enum LinksProgram {
  static func main() {
    let output = Output.ofProcess(
      command: ProgramReplacement.command(orOwn: AssociationFile.fetcher))
    do throws(CommandFailure) {
      let invocation = try LinksInvocation(try ProcessArguments.all())
      switch invocation.action {
      case .help: LinksInvocation.help.print(to: output)
      case .version: output.print("\(output.command) \(version)")
      case .fetch(let site, let path): end(fetch(site, to: path, output))
      case .verify(let verification): ProcessArguments.end(verification.run(output))
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
  case server, certificates, application, file, place, url, package, compare, format, strict, help
  case version

  var spelling: OptionSpelling {
    switch self {
    case .server: .init("server", .one("ADDRESS:PORT"), help: "ask there instead; for tests")
    case .certificates:
      .init(
        "certificates", .one("FILE"),
        help: "trust these certificates instead of the system's; for tests")
    case .application:
      .init(
        "application", .one("TEAM.ID"),
        help: "with verify: an application that the file must name; may be repeated")
    case .file:
      .init("file", .one("FILE"), help: "with verify: the file that annotations are about")
    case .place:
      .init(
        "place", .one("DOMAIN=LINE:FILE"),
        help: "with verify: where FILE names DOMAIN, for annotations; may be repeated")
    case .url:
      .init("url", .one("URL"), help: "with verify: a URL or path to test; may be repeated")
    case .package:
      .init(
        "package", .one("NAME"),
        help:
          "with verify: an application of Android that assetlinks.json must name; may be repeated")
    case .compare:
      .init("compare", .one("FILE"), help: "with verify: the contents that the site must serve")
    case .format:
      .init(
        "format", .one("FORMAT"), help: "with verify: print text, json, junit, tap or github")
    case .strict: .init("strict", help: "with verify: fail on warnings, too")
    case .help: .init("help", short: "h", help: "print this text")
    case .version: .version
    }
  }
}

/// The contents of one command line of `launchservices-links`.
struct LinksInvocation {
  enum Action {
    case fetch(Site, path: String)
    case verify(SiteVerification)
    case help
    case version
  }

  let action: Action

  init(_ arguments: [String]) throws(CommandFailure) {
    var operands: [String] = []
    var verification = SiteVerification()
    var values: [LinksFlag: String] = [:]
    for argument in try Argument<LinksFlag>.parse(arguments) {
      switch argument {
      case .operand(let operand): operands.append(operand)
      case .option(.application, let value):
        guard let application = LinkedApplication(value) else {
          throw .usage("'\(value)' is not an application such as ABCDE12345.com.example.app")
        }
        verification.questions.applications.append(application)
      case .option(.file, let value): verification.questions.file = value
      case .option(.place, let value): try verification.take(place: value)
      case .option(.url, let value): verification.questions.urls.append(value)
      case .option(.package, let value): verification.questions.packages.append(value)
      case .option(.strict, _): verification.isStrict = true
      case .option(.format, let value): try verification.take(format: value)
      case .option(.compare, let value): try verification.take(compared: value)
      case .option(let flag, let value): values[flag] = value
      }
    }
    if values[.help] != nil {
      action = .help
    } else if values[.version] != nil {
      action = .version
    } else if operands.first == "verify" {
      guard operands.count > 1 else { throw .usage("DOMAIN is needed") }
      for operand in operands.dropFirst() {
        guard let domain = WebHost(operand), domain.isFullyQualified else {
          throw .usage("'\(operand)' is not a host such as example.com")
        }
        verification.sites.append(
          Site(domain: domain, server: values[.server], certificates: values[.certificates]))
      }
      action = .verify(verification)
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
      usage: [
        "launchservices-links [OPTION]... DOMAIN FILE",
        "launchservices-links [OPTION]... verify DOMAIN...",
      ],
      purpose: [
        "", "Asks https://DOMAIN for its apple-app-site-association file and writes it to FILE.",
        "launchservicesd starts it; people call 'lsregister links refresh'. With verify, reports what is wrong",
        "with the answers and the files of sites; people call 'lsregister links verify --site DOMAIN'. The exit",
        "status is then 0 if nothing is wrong, 1 if a check failed, and 4 if a site could not be asked.",
      ])
    help.options(LinksFlag.allCases)
    help.section(
      "Exit status", FetchResult.allCases.flatMap { ["\($0.rawValue)", $0.sentence] })
    return help
  }
}
