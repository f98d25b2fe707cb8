import Foundation
import LaunchServicesTesting
import SeededRandom
import Testing

@MainActor
@Suite(
  "GIO and Launch Services",
  .enabled(
    if: Desktop.isInstalled("update-desktop-database"), "needs the package desktop-file-utils"),
  .timeLimit(.minutes(30)))
struct DesktopAgreementTests {
  @Test(
    "choose the same application for a scheme, however desktop entries and lists are mixed and written",
    .enabled(if: Desktop.isInstalled("gio"), "needs the package libglib2.0-bin"),
    arguments: Self.desktops)
  func schemes(_ desktopName: String?) async throws {
    let schemes = ["one", "two", "three", "only-listed"]
    let environment = Self.environment(desktopName)
    try await Desktop.run(environment: environment) { world, desktop in
      var mix = MixedDesktop(
        of: schemes.map { "x-scheme-handler/\($0)" },
        odd: " x-scheme-handler/one ;;x-scheme-handler/Two;", in: desktop, world)
      var found: Set<String> = []
      for _ in 0..<16 {
        try await mix.write()
        try await world.client.reload()
        for scheme in schemes {
          let (wanted, comment) = try await mix.choice(
            of: "x-scheme-handler/\(scheme)", environment)
          if let wanted { found.insert(wanted) }
          #expect((try? await world.client.defaultHandler(scheme)) == wanted, comment)
          #expect(await world.explainedHandler("\(scheme):1") == wanted, comment)
        }
      }
      #expect(found.count > 1)
    }
  }

  @Test(
    "choose the same application for a document",
    .enabled(
      if: Desktop.isInstalled("gio") && FileManager.default.fileExists(atPath: Self.knownTypes),
      "needs the packages libglib2.0-bin and shared-mime-info"),
    arguments: Self.desktops)
  func documents(_ desktopName: String?) async throws {
    let types = [
      "txt": "text/plain", "py": "text/x-python", "html": "text/html", "pdf": "application/pdf",
      "md": "text/markdown", "sh": "application/x-shellscript",
    ]
    let environment = Self.environment(desktopName)
    try await Desktop.run(environment: environment) { world, desktop in
      try FileManager.default.createDirectory(
        atPath: "\(world.folder)/share", withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: "\(world.folder)/share/mime", withDestinationPath: Self.knownTypes)
      var mix = MixedDesktop(
        of: types.values.sorted(), odd: " text/plain ;;text/X-python;", in: desktop, world)
      var found: Set<String> = []
      for suffix in types.keys { try desktop.write("\(world.folder)/a.\(suffix)", "hello") }
      for _ in 0..<16 {
        try await mix.write()
        try await world.client.reload()
        for (suffix, type) in types {
          let (wanted, comment) = try await mix.choice(of: type, environment)
          if let wanted { found.insert(wanted) }
          #expect(
            await world.explainedHandler("file://\(world.folder)/a.\(suffix)") == wanted, comment)
        }
      }
      #expect(found.count > 1)
    }
  }

  private nonisolated static let desktops = [nil, "GNOME", "KDE:GNOME"]
  private nonisolated static let knownTypes = "/usr/share/mime"

  private static func environment(_ desktopName: String?) -> [String: String] {
    desktopName.map { ["XDG_CURRENT_DESKTOP": $0] } ?? [:]
  }
}

extension Testbed {
  /// The desktop ID of the application that the explanation names; nil when it names none.
  fileprivate func explainedHandler(_ url: String) async -> String? {
    let step = try? await client.explain(url).steps.first { $0.step == "handler" }
    return step.map { String($0.sentence.prefix { $0 != "," }) }
  }
}

/// Desktop entries of few applications and lists of associations, at random: in the folders and files in which GIO looks
/// for them, and also with values and lines that it does not take.
@MainActor
private struct MixedDesktop {
  private static let names = (0..<6).map { "app\($0)" }

  private let seed = UInt64.random(in: 0...99999)
  private var random: SplitMix64
  private var number = 0
  private let types: [String]
  private let odd: String
  private let desktop: Desktop
  /// The folder of the desktop entries of the system.
  private let share: String
  /// The folder of the lists of the system.
  private let system: String

  /// - Parameters:
  ///   - types: the last of them is in lists only.
  ///   - odd: a value of `MimeType` that only some programs accept.
  init(of types: [String], odd: String, in desktop: Desktop, _ world: Testbed) {
    random = SplitMix64(seed: seed)
    self.types = types
    self.odd = odd
    self.desktop = desktop
    share = "\(world.folder)/share/applications"
    system = "\(world.folder)/xdg"
  }

  /// The application that GIO chooses, and a comment for a failure.
  func choice(
    of type: String, _ environment: [String: String]
  ) async throws -> (application: String?, comment: Comment) {
    let lines = try await desktop.command("gio", "mime", type, environment: environment)
    let line = lines.first { $0.hasPrefix("Default application for") }
    let application = line.flatMap { $0.split(separator: " ").last.map(String.init) }
    return (application, "seed \(seed), \(number), \(type): \(lines)")
  }

  /// Replaces all entries and lists.
  mutating func write() async throws {
    number += 1
    for folder in [desktop.entries, share] {
      try? FileManager.default.removeItem(atPath: folder)
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    for name in Self.names {
      for folder in [[desktop.entries], [share], [desktop.entries, share]][one(of: 3)] {
        try desktop.write("\(folder)/\(name).desktop", entry(of: name))
      }
    }
    for folder in [desktop.entries, share] {
      try await desktop.command("update-desktop-database", folder)
    }
    let configuration = URL(filePath: desktop.mimeApps).deletingLastPathComponent().path
    for folder in [configuration, system, desktop.entries, share] {
      for prefix in ["", "gnome-", "kde-"] {
        let path = "\(folder)/\(prefix)mimeapps.list"
        try? FileManager.default.removeItem(atPath: path)
        if one(of: 3) == 0 { try desktop.write(path, list()) }
      }
    }
  }

  private mutating func entry(of name: String) -> String {
    let types = types.dropLast().filter { _ in Bool.random(using: &random) }
      .map { "\($0);" }.joined()
    return """
      [Desktop Entry]
      Type=\(usually("Application", "Link", "Directory", ""))
      \(usually("Name=\(name)", ""))
      \(usually("Exec=true %u", "", "Exec=/nowhere %u", "Exec=", "Exec=true"))
      \(usually("", "Hidden=true", "TryExec=/nowhere", "NoDisplay=true", "OnlyShowIn=KDE;"))
      \(usually("", "DBusActivatable=true", "no line"))
      MimeType=\(usually(types, odd))

      """
  }

  private mutating func list() -> String {
    var text = usually("", "no line\n")
    for group in ["Default Applications", "Added Associations", "Removed Associations"] {
      text += "[\(group)]\n"
      for type in types where Bool.random(using: &random) {
        let chosen = (Self.names + ["missing"]).shuffled(using: &random).prefix(1 + one(of: 2))
        text += "\(type)="
        text += usually(
          chosen.map { "\($0).desktop;" }.joined(), chosen.joined(separator: ";"),
          chosen.map { " \($0).desktop ;" }.joined(),
          chosen.map { "\($0).desktop" }.joined(separator: ","), "", "# comment",
          chosen.map { "/usr/share/applications/\($0).desktop;" }.joined(),
          "\(chosen[0]).desktop\n\(type)=app1.desktop")
        text += "\n"
      }
    }
    return text
  }

  /// The first text, or at times one of the others.
  private mutating func usually(_ text: String, _ others: String...) -> String {
    one(of: 4) > 0 ? text : others[one(of: others.count)]
  }

  /// A number from 0 to `count` - 1.
  private mutating func one(of count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
}
