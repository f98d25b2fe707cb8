internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules

/// `lsregister dump --dot`.
extension RegisterCommand {
  /// Prints a Graphviz graph of the claims of applications, with the current handlers in bold.
  func dumpGraph() throws(CommandFailure) {
    let applications = try applications()
    let subjects =
      try schemeSubjects(applications) + typeSubjects(applications) + domainSubjects()
    output.print(HandlerGraph(applications, subjects).lines)
  }

  private func schemeSubjects(
    _ applications: [Options]
  ) throws(CommandFailure) -> [HandlerGraph.Subject] {
    var subjects: [String: HandlerGraph.Subject] = [:]
    for application in applications {
      for scheme in application["schemes"]?.asStrings ?? [] {
        subjects[scheme, default: .init("scheme", scheme, label: scheme + ":", shape: "ellipse")]
          .handlers[HandlerGraph.identifier(of: application)] = false
      }
    }
    for scheme in subjects.keys.sorted() {
      if let handler = try defaultHandler(scheme) { subjects[scheme]?.handlers[handler] = true }
    }
    return subjects.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Nil without a handler, or with an ambiguous one.
  private func defaultHandler(_ scheme: String) throws(CommandFailure) -> String? {
    do throws(ServiceFailure) {
      return try service.call(Contract.defaultHandler(scheme), Service.patience).first?.asString
    } catch {
      guard case .refused = error else { throw CommandFailure(error) }
      return nil
    }
  }

  /// The document types, and the extensions and MIME types of claims without types.
  private func typeSubjects(
    _ applications: [Options]
  ) throws(CommandFailure) -> [HandlerGraph.Subject] {
    var subjects: [DocumentClaim: HandlerGraph.Subject] = [:]
    for application in applications {
      for type in application["document-types"]?.asOptionsList ?? [] {
        for (claim, label) in Self.claims(of: type) {
          subjects[
            claim, default: .init("type", "\(claim)".lowercased(), label: label, shape: "note")
          ].handlers[HandlerGraph.identifier(of: application)] = false
        }
      }
    }
    let declared = Self.declaredTypes(applications)
    let sorted = subjects.sorted { $0.value.name < $1.value.name }
    return try sorted.map { claim, subject throws(CommandFailure) in
      let type: TypeIdentifier? =
        switch claim {
        case .type(let type): type
        case .tag(let tag): declared[tag] ?? DynamicType.identifier(of: tag)
        }
      guard let type, let best = try handlers(of: .type(type)).first,
        !best.reason.hasPrefix(HandlerReason.ambiguous.description)
      else { return subject }
      var subject = subject
      subject.handlers[best.identifier] = true
      return subject
    }
  }

  /// The claims of a document type, with their labels.
  private static func claims(of type: Options) -> [(DocumentClaim, String)] {
    func texts(_ key: String) -> [String] { type[key]?.asStrings ?? [] }
    let declaration = DocumentTypeDeclaration(
      role: type["role"]?.asString.flatMap(URLTypeDeclaration.Role.init) ?? .none,
      rank: type["rank"]?.asString.flatMap(URLTypeDeclaration.Rank.init) ?? .none)
    guard declaration.opens else { return [] }
    let types = texts("content-types")
    guard types.isEmpty else {
      return types.compactMap { text in TypeIdentifier(text).map { (.type($0), text) } }
    }
    return texts("extensions").map { (.tag(.named(extension: $0)), "." + $0) }
      + texts("mime-types").map { (.tag(.named(mimeType: $0)), $0) }
  }

  /// The type of files with each tag: system types first, exported before imported.
  private static func declaredTypes(_ applications: [Options]) -> [TypeTag: TypeIdentifier] {
    var types: [TypeTag: TypeIdentifier] = [:]
    for key in ["exported-types", "imported-types"] {
      for isSystem in [true, false] {
        for application in applications
        where (application["system"]?.asBoolean ?? false) == isSystem {
          for type in application[key]?.asOptionsList ?? [] {
            guard let identifier = type[Key.type]?.asString.flatMap(TypeIdentifier.init)
            else { continue }
            let tags =
              (type["extensions"]?.asStrings ?? []).map(TypeTag.named(extension:))
              + (type["mime-types"]?.asStrings ?? []).map(TypeTag.named(mimeType:))
            for tag in tags where types[tag] == nil { types[tag] = identifier }
          }
        }
      }
    }
    return types
  }

  /// The associated domains, in bold where the application receives links of the domain.
  private func domainSubjects() throws(CommandFailure) -> [HandlerGraph.Subject] {
    var subjects: [String: HandlerGraph.Subject] = [:]
    for link in try call(Contract.links()).first?.asOptionsList ?? [] {
      guard let entry = link[Key.entry]?.asString else { continue }
      let counts =
        link[Key.counts]?.asBoolean == true && link[Key.site]?.asString == "approved"
        && link[Key.user]?.asString != "denied"
      subjects[
        entry,
        default: .init("domain", entry, label: "applinks:" + entry, shape: "hexagon")
      ].handlers[HandlerGraph.identifier(of: link)] = counts
    }
    return subjects.sorted { $0.key < $1.key }.map(\.value)
  }
}
