internal import Host
internal import LaunchRules
internal import PropertyLists

extension InstalledApplication {
  /// The launch image for a URL (R1.41): the first of its names that is in the bundle; nil when there
  /// is none, and for what never had one.
  func launchImage(for payload: PendingOpen.Payload) -> String? {
    guard case .url(let url) = payload, declaration.platform == .iOS,
      BundleLocation(propertyList: propertyList).layout == .iOS,
      URLScheme(String(url.prefix { $0 != ":" })) != nil
    else { return nil }
    return LaunchImage.names(
      basename: declaration.launchImageName, scheme: String(url.prefix { $0 != ":" })
    )
    .map { "\(folder)/\($0)" }.first { FileIdentity(path: $0) != nil }
  }
}
