internal import Host
internal import LaunchRules
internal import PropertyLists

extension InstalledApplication {
  /// The launch image for a URL (R1.41): the first of the declared names that exists in the bundle. Returns
  /// nil without such a file, for documents, and for applications that are not iOS bundles.
  func launchImage(for payload: PendingOpen.Payload) -> String? {
    guard case .url(let url) = payload, declaration.platform == .iOS,
      BundleLocation(propertyList: propertyList).layout == .iOS,
      let scheme = URLScheme(String(url.prefix { $0 != ":" }))
    else { return nil }
    return LaunchImage.names(
      basename: declaration.launchImageName, scheme: String(url.prefix { $0 != ":" }),
      spelling: declaration.spelling(of: scheme)
    )
    .map { "\(folder)/\($0)" }.first { PromptFile.identity(of: $0) != nil }
  }
}
