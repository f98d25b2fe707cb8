internal import Host
package import LaunchRules
internal import PropertyLists

/// The localized texts of an application (R1.8), and the diagnostics of their files.
package enum LocalizedTexts {
  private static let fileName = "InfoPlist.strings"
  /// Maximum number of names in a bundle that are examined.
  private static let mostNames = 10_000

  /// The texts in the first of the user's languages for which the application has texts, by key.
  /// - Parameter propertyList: the absolute path of the application's property list.
  package static func read(
    for propertyList: String, _ languages: PreferredLanguages
  ) -> [String: String] {
    guard !languages.names.isEmpty else { return [:] }
    let (folder, names) = localizations(of: propertyList)
    for name in languages.sort(names) {
      guard let file = read("\(folder)/\(name)/\(fileName)"), !file.texts.isEmpty else { continue }
      return file.texts
    }
    return [:]
  }

  /// The texts in all languages of the application, by folder `LANGUAGE.lproj`.
  /// - Parameter limit: the maximum number of languages.
  package static func all(
    for propertyList: String, atMost limit: Int
  ) -> [String: [String: String]] {
    let (folder, names) = localizations(of: propertyList)
    var texts: [String: [String: String]] = [:]
    for name in names.prefix(limit) { texts[name] = read("\(folder)/\(name)/\(fileName)")?.texts }
    return texts
  }

  /// The diagnostics of the files of all languages.
  package static func diagnostics(of propertyList: String) -> [Diagnostic] {
    let (folder, names) = localizations(of: propertyList)
    return names.flatMap { read("\(folder)/\($0)/\(fileName)")?.diagnostics ?? [] }
  }

  /// Nil when the file does not exist.
  private static func read(_ path: String) -> StringsFile? {
    do throws(FileError) {
      return StringsFile(
        try RegularFile.read(path, atMost: StringsFile.largestSize).bytes, at: path)
    } catch  where error.errno == .noSuchFile {
      return nil
    } catch {
      return StringsFile(unreadable: path, error.withoutPath)
    }
  }

  private static func localizations(of propertyList: String) -> (folder: String, names: [String]) {
    guard let folder = BundleLocation(propertyList: propertyList).localizationsFolder,
      let listing = try? FolderListing(of: folder, atMost: mostNames)
    else { return ("", []) }
    return (folder, listing.names.filter { $0.hasSuffix(".lproj") })
  }
}
