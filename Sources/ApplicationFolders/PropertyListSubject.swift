internal import Host
internal import PropertyLists

/// What a property list of a source tree is about.
package enum PropertyListSubject: Hashable, Sendable {
  /// An application. Also a file that cannot be decoded, so that its mistake is reported, if it has the name of an
  /// information property list or mentions schemes.
  case application
  /// Perhaps an application: the file declares nothing of one, or has no identity, or cannot be decoded.
  case unclear
  /// Certainly something else, with a few words for a message.
  case other(String)

  /// - Parameter path: the absolute path of a property list.
  package init(_ path: String) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let isInfo = Self.isInformation(name)
    guard let bytes = try? RegularFile.read(path, atMost: InfoPropertyList.largestSize).bytes else {
      self = isInfo ? .application : .unclear
      return
    }
    do throws(AdmittedPropertyList.Unreadable) {
      let kind = try AdmittedPropertyList.decode(PropertyListKind.self, from: bytes)
      if kind.declaresApplication && (isInfo || kind.hasIdentity) {
        self = .application
      } else if kind.isOfExtension {
        self = .other("the property list of an application extension")
      } else if kind.isOfLibrary {
        self = .other("the property list of a framework, a bundle or a service")
      } else if Self.isOfService(name) || kind.isOfNoBundle {
        self = .other("not the property list of an application")
      } else {
        self = .unclear
      }
    } catch {
      let mentionsSchemes = ["CFBundleURLTypes", "LSApplicationQueriesSchemes"].contains {
        bytes.firstRange(of: $0.utf8) != nil
      }
      self = isInfo || mentionsSchemes ? .application : .unclear
    }
  }

  /// Whether a name is that of an information property list: `Info.plist`, `App-Info.plist`, `Info-Debug.plist`.
  private static func isInformation(_ name: String) -> Bool {
    !isOfService(name) && (name.hasSuffix("Info.plist") || name.hasPrefix("Info-"))
  }

  /// Whether a name is that of the settings of a library.
  private static func isOfService(_ name: String) -> Bool {
    name.hasPrefix("GoogleService-Info")
  }
}

/// What the keys of a property list say.
private struct PropertyListKind: Decodable {
  let declaresApplication: Bool
  /// Whether the application has an identity, so that the property list is more than a part of another one.
  let hasIdentity: Bool
  let isOfExtension: Bool
  let isOfLibrary: Bool
  /// Whether there are keys, and none is one of a bundle.
  let isOfNoBundle: Bool

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private static let ofBundles = [
    "CFBundle", "LS", "UI", "NS", "Program", "Launch", "Team", "com.apple.developer.",
  ]

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let keys = Set(container.allKeys.map(\.stringValue))
    let type = try? container.decodeIfPresent(
      String.self, forKey: Key(stringValue: "CFBundlePackageType"))
    hasIdentity = keys.contains("CFBundleIdentifier")
    isOfExtension = keys.contains("NSExtension") || keys.contains("EXAppExtensionAttributes")
    isOfLibrary = ["FMWK", "BNDL", "XPC!", "KEXT"].contains(type ?? "")
    declaresApplication =
      !isOfExtension
      && (type == "APPL"
        || !keys.isDisjoint(with: [
          "CFBundleURLTypes", "LSApplicationQueriesSchemes", "UIApplicationSceneManifest",
          "LSRequiresIPhoneOS",
        ]))
    isOfNoBundle =
      !keys.isEmpty && !keys.contains { key in Self.ofBundles.contains { key.hasPrefix($0) } }
  }
}
