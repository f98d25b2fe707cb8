package import LaunchRules

/// Reads the platform whose rules the application follows, and the version of its SDK.
extension LenientDictionary {
  /// Keys that contain the name of the platform take precedence over keys that exist on one platform only,
  /// and these over the layout. The default is iOS.
  func platform(_ context: ReadingContext) -> Platform {
    for name in [BuildVariableName.platform, BuildVariableName.sdk, BuildVariableName.sdkRoot] {
      if let platform = context.variables.value(name).flatMap(Platform.init(sdk:)) {
        return platform
      }
    }
    for key in ["DTPlatformName", "DTSDKName"] {
      guard let name = text(key)?.lowercased() else { continue }
      if let platform = Platform(sdk: name) { return platform }
      context.report(
        .note, key, "\(name.quoted) is neither an iOS nor a macOS platform",
        "the other keys decide: such an application is treated as an iOS application if they do not"
      )
    }
    let supported = list("CFBundleSupportedPlatforms") { $0.text()?.text.lowercased() }
    if supported.contains(where: { $0.hasPrefix("iphone") }) { return .iOS }
    if supported.contains("macosx") { return .macOS }
    if let name = supported.first {
      context.report(
        .note, "CFBundleSupportedPlatforms",
        "\(name.quoted) is neither an iOS nor a macOS platform",
        "the other keys decide: such an application is treated as an iOS application if they do not"
      )
    }
    if truth("LSRequiresIPhoneOS") || contains("UIDeviceFamily") { return .iOS }
    if contains("LSMinimumSystemVersion") { return .macOS }
    if contains("MinimumOSVersion") { return .iOS }
    return context.location.layout == .macOS ? .macOS : .iOS
  }

  /// Whether the property list or a build variable says which SDK the application is linked with.
  func namesSDK(_ context: ReadingContext) -> Bool {
    contains("DTSDKName")
      || [BuildVariableName.sdk, BuildVariableName.sdkRoot].contains {
        context.variables.value($0)?.contains(where: \.isNumber) == true
      }
  }

  /// `MinimumOSVersion` is not used: it contains the oldest system that the application supports, not its
  /// SDK.
  func linkedSDK(_ context: ReadingContext) -> LinkedSDK {
    for name in [BuildVariableName.sdk, BuildVariableName.sdkRoot] {
      let version = context.variables.value(name)?.drop { $0.isASCII && $0.isLetter }
      if let sdk = version.flatMap(LinkedSDK.init(reading:)) { return sdk }
    }
    for key in ["DTSDKName", "DTPlatformVersion"] {
      guard let text = text(key) else { continue }
      let version = text.drop { $0.isASCII && $0.isLetter }
      if version.isEmpty { continue }
      if let sdk = LinkedSDK(reading: version) { return sdk }
      context.report(
        .warning, key, "\(text.quoted) does not name a version of an SDK",
        "it was ignored: write it like iphoneos26.0")
    }
    return .newest
  }
}

extension Platform {
  /// The platform of `iphoneos26.0`, `iphonesimulator` or `macosx15.0`; nil for other names.
  package init?(sdk name: String) {
    let name = name.lowercased()
    if name.hasPrefix("iphone") {
      self = .iOS
    } else if name.hasPrefix("macosx") {
      self = .macOS
    } else {
      return nil
    }
  }
}

extension LinkedSDK {
  /// Reads `26`, `26.1` or `26.1.2`; characters after the digits, such as `internal`, are ignored.
  fileprivate init?(reading text: Substring) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { part in
      UInt16(part.prefix { $0.isASCII && $0.isNumber })
    }
    guard let major = parts.first ?? nil else { return nil }
    self.init(major, (parts.dropFirst().first ?? nil) ?? 0)
  }
}
