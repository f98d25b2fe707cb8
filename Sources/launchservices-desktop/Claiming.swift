internal import DesktopEntries
internal import FoundationEssentials
internal import Host
internal import LaunchRules

// Registers desktop applications with Launch Services for the files that no other application opens.

extension DesktopTask {
  /// Writes the property list of the bundle that opens files.
  func writeClaims() {
    do throws(FileError) {
      try replace(claimsFile, with: try Self.propertyList())
    } catch {
      complain("desktop applications do not open files: \(error)")
    }
  }

  private struct Bundle: Encodable {
    var identifier = DesktopBridge.identifier
    var name = "Desktop Applications"
    /// Opens from desktop applications are those of the user's own programs, to which no allowlist applies.
    var platform = "macosx"
    var isFallbackHandler = true
    var prohibitsMultipleInstances = true
    var program = [DesktopBridge.program]
    var documentTypes = [DocumentType()]

    enum CodingKeys: String, CodingKey {
      case identifier = "CFBundleIdentifier"
      case name = "CFBundleName"
      case platform = "DTPlatformName"
      case isFallbackHandler = "LSIsFallbackHandler"
      case prohibitsMultipleInstances = "LSMultipleInstancesProhibited"
      case program = "ProgramArguments"
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

  private static func propertyList() throws(FileError) -> [UInt8] {
    let bundle = Bundle()
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    guard let data = try? encoder.encode(bundle) else {
      preconditionFailure("a bundle is made of what property lists hold, which always encodes")
    }
    return Array(data)
  }
}
