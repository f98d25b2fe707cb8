internal import ApplicationFolders
internal import AssociationFiles
internal import BuildSettings
internal import BusContract
internal import Commands
internal import DBus
internal import Host
internal import LaunchRules
internal import PropertyLists

/// Checks property lists and association files. Without `--registry`, this command reads them itself and needs no
/// daemon.
extension RegisterCommand {
  /// Returns `no` if a property list has an error, or, with `--strict`, a warning.
  func lint(_ paths: [String], _ invocation: RegisterInvocation) throws(CommandFailure) -> ExitCode
  {
    let options = invocation.lint
    var findings = LintFindings(folder: folder)
    let (subjects, code) = try subjects(paths, try request(invocation.build), &findings)
    var system: Registry?
    var identifiers = CheckedIdentifiers()
    let checked = try each(subjects) { subject throws(CommandFailure) in
      findings.add(subject.settings.problems)
      guard let path = subject.propertyList else {
        return findings.addWithoutPropertyList(subject, project: invocation.build.project)
      }
      switch LintedFile(path) {
      case .association: return findings.add(try reading(path).diagnostics, checking: path)
      case .assetLinks: return findings.add(try assetLinks(path), checking: path)
      case .entitlements:
        return findings.add(
          EntitlementsLint.diagnostics(of: path, subject.settings.variables), checking: path)
      case .propertyList: break
      }
      if options.showsBuildSettings {
        findings.add(used(of: subject, at: path), usedBy: path)
      }
      let rivals = EntitlementsLint.diagnostics(
        ofRivals: subject.rivalEntitlements, of: path, subject.settings.variables)
      if options.usesRegistry {
        let twice = identifiers.twice(
          ApplicationReading(of: path, variables: subject.settings.variables).application)
        let diagnostics = EntitlementsLint.raised(
          try lintInRegistry(path, definitions(of: subject, at: path)),
          ofFile: ApplicationReading.entitlementsFile(of: path, subject.settings.variables))
        findings.add(diagnostics + twice + rivals, checking: path)
      } else {
        let registry = system ?? systemApplications
        system = registry
        findings.add(
          try lint(path, subject.settings.variables, in: registry) + rivals, checking: path)
      }
    }
    findings.print(options, to: output)
    let first = code == .success ? checked : code
    return first == .success && findings.fail(isStrict: options.isStrict) ? .no : first
  }

  private func lint(
    _ path: String, _ variables: BuildVariables, in system: Registry
  ) throws(CommandFailure) -> [Diagnostic] {
    let file: String
    do throws(PropertyListPath.NotFound) {
      file = try PropertyListPath.find(path)
    } catch {
      throw CommandFailure(.no, error.description)
    }
    let lint = ApplicationLint(
      of: file, variables: variables, searchPath: environment("PATH") ?? "/usr/bin:/bin")
    guard let application = lint.reading.application, !application.isSystem else {
      return lint.diagnostics
    }
    return lint.diagnostics
      + RegistryLint(application, in: system, files: lint.files).diagnostics
  }

  private func lintInRegistry(
    _ path: String, _ definitions: [String: String]
  ) throws(CommandFailure) -> [Diagnostic] {
    (try call(Contract.check(path, definitions: definitions)).first?.asOptionsList ?? []).map {
      entry in
      func text(_ key: String) -> String { entry[key]?.asString ?? "" }
      return Diagnostic(
        Diagnostic.Severity(rawValue: text("severity")) ?? .note, file: text("file"),
        keyPath: text("key-path"), problem: text("problem"), consequence: text("consequence"))
    }
  }

  /// The system applications that are installed, and those that belong to this program.
  private var systemApplications: Registry {
    var variables: [String: String] = [:]
    for name in ["HOME", "XDG_DATA_DIRS"] { variables[name] = environment(name) }
    let name = ApplicationFolder.systemFolder
    var folders = UserFolders(environment: variables).dataDirs.map { "\($0)/\(name)" }
    let own = InstalledFolder.programs.flatMap { InstalledFolder.shared(name, with: $0) }
    if let own, !folders.contains(own) { folders.append(own) }
    return .ofSystemApplications(in: folders)
  }
}
