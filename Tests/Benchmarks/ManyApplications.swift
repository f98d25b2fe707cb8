internal import Commands
internal import FoundationEssentials
internal import Glibc
internal import Host

/// Very many applications, each with three claims and ten queries schemes, in a folder of their own.
struct ManyApplications {
  enum Layout {
    /// A property list by itself.
    case loose
    /// A folder `NAME.app` with its `Info.plist`, as iOS has them.
    case bundle
  }

  let folder: String
  let count: Int
  private let layout: Layout

  /// - Parameter folder: is made, with all of them, and with a desktop entry for each loose one where no daemon looks for
  ///   desktop entries: these are for `update-desktop-database`.
  init(_ count: Int, _ layout: Layout, in folder: String) throws(CommandFailure) {
    self.folder = folder
    self.count = count
    self.layout = layout
    do {
      try Self.makeFolder(applications)
      try Self.makeFolder(desktopEntries)
      try Self.makeFolder(comparedEntries)
      for index in 0..<count {
        if layout == .bundle { try Self.makeFolder(place(index)) }
        try Data(propertyList(index).utf8)
          .write(to: URL(filePath: propertyList(in: place(index))))
        guard layout == .loose else { continue }
        let claims = (0..<3).map { "x-scheme-handler/\(Self.scheme(index, $0));" }.joined()
        let entry =
          "[Desktop Entry]\nType=Application\nName=Bench\nExec=/usr/bin/true %u\nMimeType=\(claims)\n"
        try Data(entry.utf8).write(to: URL(filePath: comparedEntries + "/bench\(index).desktop"))
      }
    } catch {
      throw CommandFailure(.failed, "\(count) applications could not be made: \(error)")
    }
  }

  var applications: String { folder + "/launch-services/Applications" }
  /// The desktop entries of the user.
  var desktopEntries: String { folder + "/applications" }
  var comparedEntries: String { folder + "/compared" }

  /// Of application `index`, with a claim that no other has.
  static func scheme(_ index: Int, _ claim: Int) -> String { "bench\(index)-\(claim)" }

  static func identifier(_ index: Int) -> String { "com.example.bench\(index)" }

  /// Adds one more, all at once.
  func add(_ index: Int) throws(CommandFailure) {
    let new = folder + "/new"
    do throws(FileError) {
      try AtomicFile.write(Array(propertyList(index).utf8), to: propertyList(in: new))
    } catch {
      throw CommandFailure(.failed, error.description)
    }
    guard unsafe rename(new, place(index)) == 0 else {
      throw CommandFailure(.failed, "\(new) cannot be moved")
    }
  }

  /// The file or the folder that is the application.
  private func place(_ index: Int) -> String {
    switch layout {
    case .loose: "\(applications)/bench\(index).plist"
    case .bundle: "\(applications)/bench\(index).app"
    }
  }

  private func propertyList(in place: String) -> String {
    layout == .bundle ? place + "/Info.plist" : place
  }

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
