internal import DesktopEntries
internal import FoundationEssentials
internal import Host
internal import LaunchRules

// Registers the schemes of desktop applications with Launch Services.

extension DesktopTask {
  /// Writes the property list of the bundle that claims the schemes.
  func writeClaims() {
    let schemes = claimedSchemes()
    do throws(FileError) {
      try replace(claimsFile, with: try propertyList(of: schemes))
    } catch {
      complain("desktop applications are not claimed: \(error)")
    }
  }

  /// The schemes of desktop applications that accept URLs and do not lead back, if GIO finds the application
  /// by the scheme.
  private func claimedSchemes() -> [URLScheme] {
    var schemes = Set(DesktopApplication.installed.flatMap(\.schemes))
    schemes.formUnion((try? MimeAppsList(read(mimeAppsFile)))?.schemes ?? [])
    return schemes.filter { scheme in
      DesktopBridge.mayClaim(scheme)
        && DesktopApplication.handlers(of: scheme).contains { !$0.leadsBack && $0.takesURIs }
    }.sorted()
  }

  private struct Bundle: Encodable {
    var identifier = DesktopBridge.identifier
    var name = "Desktop Applications"
    /// Opens from desktop applications are those of the user's own programs, to which no allowlist applies.
    var platform = "macosx"
    var isFallbackHandler = true
    var prohibitsMultipleInstances = true
    var program = [DesktopBridge.program]
    var urlTypes: [URLType]
    var documentTypes = [DocumentType()]

    enum CodingKeys: String, CodingKey {
      case identifier = "CFBundleIdentifier"
      case name = "CFBundleName"
      case platform = "DTPlatformName"
      case isFallbackHandler = "LSIsFallbackHandler"
      case prohibitsMultipleInstances = "LSMultipleInstancesProhibited"
      case program = "ProgramArguments"
      case urlTypes = "CFBundleURLTypes"
      case documentTypes = "CFBundleDocumentTypes"
    }
  }

  /// All files: desktop applications open the files that no registered application opens.
  private struct DocumentType: Encodable {
    var name = DesktopBridge.identifier
    var rank = "Alternate"
    var contentTypes = [TypeIdentifier.item.text]

    enum CodingKeys: String, CodingKey {
      case name = "CFBundleTypeName"
      case rank = "LSHandlerRank"
      case contentTypes = "LSItemContentTypes"
    }
  }

  private struct URLType: Encodable {
    var name = DesktopBridge.identifier
    var schemes: [String]

    enum CodingKeys: String, CodingKey {
      case name = "CFBundleURLName"
      case schemes = "CFBundleURLSchemes"
    }
  }

  private func propertyList(of schemes: [URLScheme]) throws(FileError) -> [UInt8] {
    let bundle = Bundle(
      urlTypes: schemes.isEmpty ? [] : [URLType(schemes: schemes.map(\.text))])
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    guard let data = try? encoder.encode(bundle) else {
      preconditionFailure("a bundle is made of what property lists hold, which always encodes")
    }
    return Array(data)
  }
}
