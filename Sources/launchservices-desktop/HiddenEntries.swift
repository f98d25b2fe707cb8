internal import Glibc
internal import Host
internal import LaunchRules

/// Hides desktop entries from GIO in this process, which would wait for a FIFO, and read a large file again for each type.
///
/// GIO reads the first entry with a desktop file ID, and no other one. So a folder before all others has an entry for each
/// hidden one, which says that it is hidden. Use this before the first call of GIO.
final class HiddenEntries {
  private let folder: String
  private var files: [String] = []

  /// Nil when there is nothing to hide, or the folder cannot be made.
  /// - Parameter identifiers: desktop file IDs, of which the first `most` are hidden.
  init?(_ identifiers: [String], _ folders: UserFolders) {
    let others = ([folders.dataHome] + folders.dataDirs)
    guard !identifiers.isEmpty, others.allSatisfy({ !$0.contains(":") }) else { return nil }
    var template = Array("\(folders.runtimeDir ?? "/tmp")/launch-services-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { return nil }
    folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    for identifier in identifiers.prefix(Self.most) {
      let file = "\(folder)/applications/\(identifier)"
      if (try? AtomicFile.write(Self.contents, to: file, surviving: .processes)) != nil {
        files.append(file)
      }
    }
    unsafe setenv("XDG_DATA_HOME", folder, 1)
    unsafe setenv("XDG_DATA_DIRS", others.joined(separator: ":"), 1)
  }

  deinit {
    for file in files { unsafe unlink(file) }
    unsafe rmdir(folder + "/applications")
    unsafe rmdir(folder)
  }

  private static let most = 1000
  /// The key of our own entries, because GIO gives also a hidden entry that a list of defaults names.
  private static let contents = Array(
    "[Desktop Entry]\nType=Application\nName=Hidden\nHidden=true\n\(DesktopBridge.mark)=hidden\n"
      .utf8)
}
