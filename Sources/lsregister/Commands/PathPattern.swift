internal import Commands
internal import Glibc
internal import Host

/// A pattern of paths: `*` and `?` stand for characters of a name, `[…]` for one of several characters, and `**` for any
/// number of folders.
struct PathPattern {
  private let parts: [String]

  private static let deepest = 24
  private static let mostNames = 500_000

  /// Nil for a path without such characters.
  /// - Parameter path: an absolute path.
  init?(_ path: String) {
    guard path.contains(where: { "*?[".contains($0) }) else { return nil }
    parts = path.split(separator: "/").map(String.init)
  }

  /// The absolute paths that match, sorted.
  func matches() -> [String] {
    let fixed = parts.prefix { !Self.isPattern($0) }
    var found: [String] = []
    var seen = 0
    search("/" + fixed.joined(separator: "/"), parts.dropFirst(fixed.count), 0, &seen, &found)
    return Set(found).sorted()
  }

  private static func isPattern(_ part: String) -> Bool {
    part.contains { "*?[".contains($0) }
  }

  private func search(
    _ folder: String, _ rest: ArraySlice<String>, _ depth: Int, _ seen: inout Int,
    _ found: inout [String]
  ) {
    guard let part = rest.first else {
      if FilePath.exists(folder) { found.append(folder) }
      return
    }
    guard depth < Self.deepest, seen < Self.mostNames else { return }
    let below = rest.dropFirst()
    let prefix = folder == "/" ? "" : folder
    if !Self.isPattern(part) { return search("\(prefix)/\(part)", below, depth + 1, &seen, &found) }
    if part == "**" { search(folder, below, depth, &seen, &found) }
    guard let listing = try? FolderListing(of: folder) else { return }
    seen += listing.names.count
    for name in listing.names {
      if part == "**" {
        guard !name.hasPrefix("."), !listing.links.contains(name) else { continue }
        search("\(prefix)/\(name)", rest, depth + 1, &seen, &found)
      } else if unsafe fnmatch(part, name, FNM_PERIOD) == 0 {
        search("\(prefix)/\(name)", below, depth + 1, &seen, &found)
      }
    }
  }
}
