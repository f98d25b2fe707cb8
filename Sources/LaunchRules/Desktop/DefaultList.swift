/// The value of one key of `[Default Applications]` in `mimeapps.list`: desktop file IDs, best first,
/// separated by `;`.
///
/// Earlier entries stay behind an entry that is put in front, so that removing that entry restores the value
/// exactly.
package struct DefaultList: Hashable, Sendable {
  /// The value in the file.
  package private(set) var text: String

  package init(_ text: String = "") { self.text = text }

  package var files: [String] {
    text.split(separator: ";").map { $0.drop { $0 == " " }.description }.filter { !$0.isEmpty }
  }

  package var isEmpty: Bool { files.isEmpty }

  /// Makes an exported entry the default, and removes other exported entries.
  package mutating func prefer(_ file: String) {
    takeBack()
    text = file + ";" + text
  }

  /// Removes exported entries. Returns true when there was one.
  @discardableResult package mutating func takeBack() -> Bool {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    let kept = parts.filter { !DesktopEntryName.isOurs(String($0)) }
    guard kept.count < parts.count else { return false }
    text = kept.joined(separator: ";")
    return true
  }
}
