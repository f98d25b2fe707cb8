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
    "choose the same application, however desktop entries and lists are mixed and written",
    .enabled(if: Desktop.isInstalled("gio"), "needs the package libglib2.0-bin"),
    arguments: [nil, "GNOME", "KDE:GNOME"])
  func agreement(_ desktopName: String?) async throws {
    var environment: [String: String] = [:]
    environment["XDG_CURRENT_DESKTOP"] = desktopName
    try await Desktop.run(environment: environment) { world, desktop in
      let seed = UInt64.random(in: 0...99999)
      var mix = MixedDesktop(seed: seed, share: "\(world.folder)/share/applications")
      var found: Set<String> = []
      for number in 0..<16 {
        try await mix.write(in: desktop, system: "\(world.folder)/xdg")
        try await world.client.reload()
        for scheme in MixedDesktop.schemes {
          let shown = try await desktop.command(
            "gio", "mime", "x-scheme-handler/\(scheme)", environment: environment)
          let wanted = shown.first { $0.hasPrefix("Default application for") }
            .flatMap { $0.split(separator: " ").last.map(String.init) }
          if let wanted { found.insert(wanted) }
          let comment: Comment = "seed \(seed), \(number), \(scheme): \(shown)"
          #expect((try? await world.client.defaultHandler(scheme)) == wanted, comment)
          let explanation = try? await world.client.explain("\(scheme):1")
          let handler = explanation?.steps.first { $0.step == "handler" }?.sentence
          #expect(handler?.prefix { $0 != "," } == wanted?[...], comment)
        }
      }
      #expect(found.count > 1, "seed \(seed)")
    }
  }
}

/// Desktop entries of few applications and lists of associations, at random: in the folders and files in which GIO looks
/// for them, and also with values and lines that it does not take.
@MainActor
private struct MixedDesktop {
  static let schemes = ["one", "two", "three", "only-listed"]
  private static let names = (0..<6).map { "app\($0)" }

  private var random: SplitMix64
  /// The folder of the desktop entries of the system.
  private let share: String

  init(seed: UInt64, share: String) {
    random = SplitMix64(seed: seed)
    self.share = share
  }

  /// Replaces all entries and lists.
  /// - Parameter system: the folder of the lists of the system.
  mutating func write(in desktop: Desktop, system: String) async throws {
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
    let types = Self.schemes.prefix(3).filter { _ in Bool.random(using: &random) }
      .map { "x-scheme-handler/\($0);" }.joined()
    return """
      [Desktop Entry]
      Type=\(usually("Application", "Link", "Directory", ""))
      \(usually("Name=\(name)", ""))
      \(usually("Exec=true %u", "", "Exec=/nowhere %u", "Exec=", "Exec=true"))
      \(usually("", "Hidden=true", "TryExec=/nowhere", "NoDisplay=true", "OnlyShowIn=KDE;"))
      \(usually("", "DBusActivatable=true", "no line"))
      MimeType=\(usually(types, " x-scheme-handler/one ;;x-scheme-handler/Two;"))

      """
  }

  private mutating func list() -> String {
    var text = usually("", "no line\n")
    for group in ["Default Applications", "Added Associations", "Removed Associations"] {
      text += "[\(group)]\n"
      for scheme in Self.schemes where Bool.random(using: &random) {
        let chosen = (Self.names + ["missing"]).shuffled(using: &random).prefix(1 + one(of: 2))
        text += "x-scheme-handler/\(scheme)="
        text += usually(
          chosen.map { "\($0).desktop;" }.joined(), chosen.joined(separator: ";"),
          chosen.map { " \($0).desktop ;" }.joined(),
          chosen.map { "\($0).desktop" }.joined(separator: ","), "", "# comment",
          chosen.map { "/usr/share/applications/\($0).desktop;" }.joined(),
          "\(chosen[0]).desktop\nx-scheme-handler/\(scheme)=app1.desktop")
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
