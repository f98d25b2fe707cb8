internal import DesktopEntries
internal import FoundationEssentials
internal import Host
internal import LaunchRules

// Out: Launch Services learn of the schemes that freedesktop applications handle.

extension DesktopTask {
  /// Writes the property list of the bundle that stands for them.
  func writeClaims() {
    let schemes = claimedSchemes()
    do throws(FileError) {
      try replace(claimsFile, with: try propertyList(of: schemes))
    } catch {
      complain("desktop applications are not claimed: \(error)")
    }
  }

  /// Those of installed applications that can be given a URL and do not lead back here.
  private func claimedSchemes() -> [URLScheme] {
    var schemes: Set<URLScheme> = []
    for application in DesktopApplication.installed
    where !application.leadsBack && application.takesURIs {
      schemes.formUnion(application.schemes)
    }
    for scheme in (try? MimeAppsList(read(mimeAppsFile)))?.schemes ?? [] {
      let handlers = DesktopApplication.handlers(of: scheme)
      if handlers.contains(where: { !$0.leadsBack && $0.takesURIs }) { schemes.insert(scheme) }
    }
    return schemes.filter(DesktopBridge.mayClaim).sorted()
  }

  private struct Bundle: Encodable {
    struct URLType: Encodable {
      var CFBundleURLName = DesktopBridge.identifier
      var CFBundleURLSchemes: [String]
    }
    var CFBundleIdentifier = DesktopBridge.identifier
    var CFBundleName = "Desktop Applications"
    /// Opens from there are those of the user's own programs, which no allowlist bounds.
    var DTPlatformName = "macosx"
    var LSIsFallbackHandler = true
    var LSMultipleInstancesProhibited = true
    var ProgramArguments: [String]
    var CFBundleURLTypes: [URLType]
  }

  private func propertyList(of schemes: [URLScheme]) throws(FileError) -> [UInt8] {
    let bundle = Bundle(
      ProgramArguments: [program(DesktopBridge.program)?.text ?? DesktopBridge.program],
      CFBundleURLTypes: schemes.isEmpty ? [] : [.init(CFBundleURLSchemes: schemes.map(\.text))])
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    guard let data = try? encoder.encode(bundle) else {
      preconditionFailure("a bundle is made of what property lists hold, which always encodes")
    }
    return Array(data)
  }
}
