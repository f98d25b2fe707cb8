internal import LaunchRules

/// Reads `UILaunchImages` and `UILaunchImageFile`; the first takes precedence (R1.41).
extension LenientDictionary {
  func launchImageName(_ context: ReadingContext) -> String {
    let listed = list("UILaunchImages") { $0.dictionary()?.fileName("UILaunchImageName", context) }
    return listed.first ?? fileName("UILaunchImageFile", context) ?? LaunchImage.usualName
  }

  /// The name of a file in the bundle; nil, with a warning, for a path.
  func fileName(_ key: String, _ context: ReadingContext) -> String? {
    guard let name = text(key) else { return nil }
    guard !name.contains("/"), !name.utf8.contains(0) else {
      context.report(
        .warning, path(of: key), "\(name.quoted) is not the name of a file",
        "it was ignored: write the name alone, without folders and \".png\"")
      return nil
    }
    return name
  }
}
