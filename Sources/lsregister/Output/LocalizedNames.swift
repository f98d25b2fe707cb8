internal import ApplicationFolders
internal import BusContract
internal import DBus
internal import LaunchRules

/// What applications are called in the user's language (R1.8). Found out here and not by the daemon,
/// because the language belongs to who reads it.
extension RegisterCommand {
  static let localizedName = "localized-name"
  private static let localizedURLNames = "localized-url-names"

  /// The application, with its texts in the user's language where it has them.
  func localize(_ application: Options) -> Options {
    guard let path = application["path"]?.asString else { return application }
    let texts = LocalizedTexts.read(for: path, languages)
    var application = application
    // CFBundleName, in whatever language, only counts without CFBundleDisplayName (R1.11).
    let name = texts["CFBundleDisplayName"]
    let shortName = application["display-name"] == nil ? texts["CFBundleName"] : nil
    if let text = name ?? shortName { application[Self.localizedName] = .string(text) }
    let urlNames = application["url-names"]?.asStrings ?? []
    if urlNames.contains(where: { texts[$0] != nil }) {
      application[Self.localizedURLNames] = .strings(urlNames.map { texts[$0] ?? $0 })
    }
    return application
  }
}
