internal import ApplicationFolders
internal import BusContract
internal import DBus
internal import LaunchRules

/// The localized names of applications (R1.8). They are determined by the command, because the language
/// depends on the user of the command.
extension RegisterCommand {
  static let localizedName = "localized-name"
  private static let localizedURLNames = "localized-url-names"

  /// The application with its localized texts, if any.
  func localize(_ application: Options) -> Options {
    guard let path = application["path"]?.asString else { return application }
    let texts = LocalizedTexts.read(for: path, languages)
    var application = application
    // CFBundleName in any language applies only without CFBundleDisplayName (R1.11).
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
