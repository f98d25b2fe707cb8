internal import Commands
internal import FoundationEssentials
internal import Host

/// Very many applications, each with three claims and ten queries schemes, in a folder of their own.
struct ManyApplications {
  let folder: String
  let count: Int

  /// - Parameter folder: is made, with all of them.
  init(_ count: Int, in folder: String) throws(CommandFailure) {
    self.folder = folder
    self.count = count
    do {
      try Self.makeFolder(applications)
      try Self.makeFolder(desktopEntries)
      for index in 0..<count {
        try Data(propertyList(index).utf8).write(to: path(index))
        let claims = (0..<3).map { "x-scheme-handler/\(Self.scheme(index, $0));" }.joined()
        let entry =
          "[Desktop Entry]\nType=Application\nName=Bench\nExec=/usr/bin/true %u\nMimeType=\(claims)\n"
        try Data(entry.utf8).write(to: URL(filePath: desktopEntries + "/bench\(index).desktop"))
      }
    } catch {
      throw CommandFailure(.failed, "\(count) applications could not be made: \(error)")
    }
  }

  var applications: String { folder + "/launch-services/Applications" }
  var desktopEntries: String { folder + "/applications" }

  /// Of application `index`, with a claim that no other has.
  static func scheme(_ index: Int, _ claim: Int) -> String { "bench\(index)-\(claim)" }

  static func identifier(_ index: Int) -> String { "com.example.bench\(index)" }

  /// Adds one more, all at once.
  func add(_ index: Int) throws(CommandFailure) {
    do throws(FileError) {
      try AtomicFile.write(Array(propertyList(index).utf8), to: path(index).path)
    } catch {
      throw CommandFailure(.failed, error.description)
    }
  }

  private func path(_ index: Int) -> URL { URL(filePath: applications + "/bench\(index).plist") }

  private static func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  private func propertyList(_ index: Int) -> String {
    let types = (0..<3).map { claim in
      """
      <dict>
        <key>CFBundleURLName</key><string>\(Self.identifier(index)).\(claim)</string>
        <key>CFBundleTypeRole</key><string>Viewer</string>
        <key>CFBundleURLSchemes</key>
        <array><string>\(Self.scheme(index, claim))</string></array>
      </dict>
      """
    }
    let queries = (0..<10).map {
      "<string>\(Self.scheme((index + $0) % max(count, 1), 0))</string>"
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>\(Self.identifier(index))</string>
        <key>CFBundleName</key><string>Bench \(index)</string>
        <key>CFBundleVersion</key><string>1.2</string>
        <key>ProgramArguments</key><array><string>/usr/bin/true</string></array>
        <key>CFBundleURLTypes</key><array>\(types.joined())</array>
        <key>LSApplicationQueriesSchemes</key><array>\(queries.joined())</array>
      </dict></plist>
      """
  }
}
