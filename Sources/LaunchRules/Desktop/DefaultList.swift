/// The value of one key of `[Default Applications]` in `mimeapps.list`: desktop file IDs, best first,
/// each but perhaps the last with `;` after it.
///
/// What stood there before stays behind what is put in front, so that taking that away gives it back
/// letter for letter.
package struct DefaultList: Hashable, Sendable {
  /// As it stands in the file.
  package private(set) var text: String

  package init(_ text: String = "") { self.text = text }

  package var files: [String] {
    text.split(separator: ";").map { $0.drop { $0 == " " }.description }.filter { !$0.isEmpty }
  }

  package var isEmpty: Bool { files.isEmpty }

  /// Makes an exported entry the default, and takes away any other of ours.
  package mutating func prefer(_ file: String) {
    takeBack()
    text = file + ";" + text
  }

  /// Takes away exported entries; true when there was one.
  @discardableResult package mutating func takeBack() -> Bool {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    let kept = parts.filter { !DesktopEntryName.isOurs(String($0)) }
    guard kept.count < parts.count else { return false }
    text = kept.joined(separator: ";")
    return true
  }
}
