internal import AssociationFiles
internal import BusContract
internal import Commands
internal import DBus
internal import Host
internal import LaunchRules

/// `lsregister links`: universal links.
extension RegisterCommand {
  func links(_ invocation: LinksInvocation) throws(CommandFailure) -> ExitCode {
    let json = invocation.json
    switch invocation.action {
    case .list: try listLinks(json: json)
    case .verify(let domain, let file, let urls):
      return try verify(domain, file: file, urls: urls, json: json)
    case .verifySites(let checks): try verifySites(checks)
    case .dump: try dumpLinks(json: json)
    case .add(let domain, let path):
      let path = try existing(path)
      _ = try call(Contract.setAssociationFile(domain.text, path))
      _ = try read(path)
    case .remove(let domain): _ = try call(Contract.setAssociationFile(domain.text, ""))
    case .refresh(let domains):
      // No timeout, because sites may be slow.
      _ = try call(Contract.refreshLinks(domains.map(\.text)), nil)
    case .choose(let application, let domain, let choice):
      _ = try call(Contract.chooseLink(application, domain.text, choice?.rawValue ?? ""))
    }
    if json, invocation.isChange { output.print(JSON.text([:])) }
    return .success
  }

  func allLinks() throws(CommandFailure) -> [Options] {
    try call(Contract.links()).first?.asOptionsList ?? []
  }

  func reading(_ path: String) throws(CommandFailure) -> AssociationFileReading {
    do throws(FileError) {
      let bytes = try RegularFile.read(path, atMost: AssociationFile.largestSize).bytes
      return AssociationFileReading(bytes, at: path, findsMistakes: true)
    } catch {
      throw CommandFailure(.failed, error.description)
    }
  }

  /// The findings about Android's `assetlinks.json`.
  func assetLinks(_ path: String) throws(CommandFailure) -> [Diagnostic] {
    do throws(FileError) {
      let bytes = try RegularFile.read(path, atMost: AssociationFile.largestSize).bytes
      return AssetLinksReading(bytes, at: path, findsMistakes: true).diagnostics
    } catch {
      throw CommandFailure(.failed, error.description)
    }
  }

  /// A failure for the last of several diagnostics; the others are printed, each in its own line.
  func failure(_ code: ExitCode, _ diagnostics: [Diagnostic]) -> CommandFailure {
    for diagnostic in diagnostics.dropLast() { output.complain(diagnostic.description) }
    return CommandFailure(code, diagnostics.last?.description ?? "the file cannot be used")
  }

  func read(_ path: String) throws(CommandFailure) -> AssociationFile {
    let reading = try reading(path)
    guard let file = reading.file else {
      throw failure(.failed, reading.diagnostics)
    }
    for diagnostic in reading.diagnostics { output.complain(diagnostic.description) }
    return file
  }
}
