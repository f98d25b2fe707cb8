/// `sourceApplication` (R5.23): the identifier of the opener if opener and receiver belong to one team, or
/// the receiver was linked before iOS 13; otherwise nil.
package func sourceApplication(
  opener: InstalledApplication?, receiver: InstalledApplication
) -> BundleIdentifier? {
  guard let opener else { return nil }
  if opener.identifier == receiver.identifier { return opener.identifier }
  if receiver.declaration.platform == .iOS, receiver.declaration.linkedSDK < LinkedSDK(13) {
    return opener.identifier
  }
  guard let team = opener.declaration.team, team == receiver.declaration.team else { return nil }
  return opener.identifier
}
