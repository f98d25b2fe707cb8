/// An application with a property list and a desktop entry of the same name is one application: the property list counts.
///
/// The desktop entry of `com.example.photos` is `com.example.photos.desktop`. Of such an entry only the claims remain
/// that the property list does not have, so that no URL and no document loses its application.
package enum DesktopTwinRule {
  /// The identifier of the application whose property list would count; nil for a record of another kind.
  package static func twin(of record: ApplicationRecord) -> BundleIdentifier? {
    guard record.isDesktopEntry, let identifier = record.identifier?.text,
      identifier.hasSuffix(ending)
    else { return nil }
    return BundleIdentifier(String(identifier.dropLast(ending.count)))
  }

  private static let ending = ".desktop"

  /// The record of a desktop entry without the claims of its property list; nil when no claim remains.
  package static func record(
    _ record: ApplicationRecord, in registry: Registry
  ) -> ApplicationRecord? {
    guard let twin = twin(of: record), registry.isInstalled(twin),
      let other = registry.application(twin)?.declaration, var entry = record.application
    else { return record }
    let claimed = Set(other.urlTypes.flatMap(\.schemes))
    entry.declaration.urlTypes = entry.declaration.urlTypes.compactMap { type in
      var type = type
      type.schemes.removeAll(where: claimed.contains)
      return type.schemes.isEmpty ? nil : type
    }
    if !other.documents.types.isEmpty { entry.declaration.documents = .none }
    guard !entry.declaration.urlTypes.isEmpty || entry.declaration.documents != .none else {
      return nil
    }
    return ApplicationRecord(entry)
  }
}
