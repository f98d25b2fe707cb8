internal import Host
internal import LaunchRules
package import PropertyLists

extension ApplicationReading {
  /// The path of the entitlements file with the highest precedence: the file that the build variables name, otherwise
  /// one beside the property list; nil without one.
  package static func entitlementsFile(of propertyList: String, _ variables: BuildVariables)
    -> String?
  {
    let location = BundleLocation(propertyList: propertyList)
    return location.entitlementsFile(variables)
      ?? location.entitlementsFiles.first { FileIdentity(path: $0) != nil }
  }

  /// Adds the entitlements beside the property list to the application.
  mutating func readEntitlements(_ variables: BuildVariables) {
    guard let file = Self.entitlementsFile(of: path, variables) else { return }
    let entitlements: Entitlements
    do throws(FileError) {
      let (bytes, stamp) = try RegularFile.read(file, atMost: Entitlements.largestSize)
      entitlementsStamp = stamp
      entitlements = Entitlements(bytes, at: file, variables: variables)
    } catch {
      entitlementsStamp = try? FileStamp(path: file)
      entitlements = Entitlements(unreadable: file, error.withoutPath)
    }
    diagnostics += entitlements.diagnostics
    for variable in entitlements.openVariables
    where !openVariables.contains(where: { $0.name == variable.name }) {
      openVariables.append(variable)
    }
    guard let declaration = application?.declaration else { return }
    application?.declaration.entitlements = entitlements.defaults
    if declaration.team == nil {
      application?.declaration.team = entitlements.team(of: declaration.identifier)
    }
    application?.declaration.associatedDomains += entitlements.associatedDomains.filter {
      !declaration.associatedDomains.contains($0)
    }
    var entitled = declaration
    entitled.entitlements = entitlements.defaults
    diagnostics += Entitlements.diagnostics(of: entitled, at: file)
  }

  /// Universal links require a team (R8.18).
  mutating func reportMissingTeam() {
    guard let declaration = application?.declaration, declaration.team == nil,
      !declaration.associatedDomains.isEmpty
    else { return }
    diagnostics.append(
      Diagnostic(
        .warning, file: path, keyPath: AssociatedDomain.entitlement,
        problem: "the application has applinks, and its team is not known",
        consequence:
          "it receives no universal links: give the team with --team, or in team of a scenario or test, or"
          + " add TeamIdentifier to the property list, or application-identifier to the entitlements"
          + " (R8.18)"))
  }
}
