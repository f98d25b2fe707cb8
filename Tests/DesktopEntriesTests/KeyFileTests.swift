import DesktopEntries
import Foundation
import LaunchRules
import Testing

func scheme(_ text: String) throws -> URLScheme { try #require(URLScheme(text)) }

private let newline = UInt8(ascii: "\n")
private let ours = "org.launchservices.handler.com.example.a.desktop"

/// Real lists, which lie beside the package where somebody collected them.
enum RealLists {
  static let all: [String] = {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let override = ProcessInfo.processInfo.environment["LAUNCH_SERVICES_DESKTOP_CORPUS"]
    let folder =
      override.map { URL(filePath: $0) } ?? package.appending(path: "../shared/corpus/desktop")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix("mimeapps.list") }.sorted().compactMap {
      try? String(contentsOf: folder.appending(path: $0), encoding: .utf8)
    }
  }()

  static let made = [
    """
    # a comment before everything

    [Default Applications]
    # about text
    text/html=web.desktop
    x-scheme-handler/http=web.desktop;other.desktop

    [Unknown Group]
    Key[de]=Schlüssel\\s
    Key=key
    # a comment inside
    [Removed Associations]
    a/b=c.desktop;

    """,
    "[Added Associations]\nx-scheme-handler/http=web.desktop;\n",
    "[Default Applications]\n",
    " [Default Applications] \n  x-scheme-handler/http  =  web.desktop  \nz=1\n\n\n# end",
    "[Default Applications]\r\ntext/html=web.desktop\r\n\r\n[Other]\r\na=b\r\n",
    "[Other]\na=b\n[Default Applications]\nx-scheme-handler/http=w.desktop\n# last\n",
  ]
}

@Suite struct `The user's mimeapps.list` {
  @Test("nothing but the line changes, and giving back is letter for letter")
  func oneLine() throws {
    for text in RealLists.all + RealLists.made {
      var list = try MimeAppsList(Array(text.utf8))
      list.prefer(ours, for: try scheme("http"))
      let changed = String(decoding: try #require(list.bytes), as: UTF8.self)
      let difference = changed.utf8.split(separator: newline, omittingEmptySubsequences: false)
        .map { String($0) ?? "" }
        .difference(
          from: text.utf8.split(separator: newline, omittingEmptySubsequences: false)
            .map { String($0) ?? "" })
      let added = difference.insertions.compactMap { change -> String? in
        if case .insert(_, let line, _) = change { line } else { nil }
      }
      #expect(added.filter { !$0.isEmpty && $0 != "[Default Applications]" }.count == 1)
      #expect(added.contains { $0.contains("x-scheme-handler/http") && $0.contains("\(ours);") })
      #expect(difference.removals.count <= 1)
      #expect(list.ours == [try scheme("http")])
      let gaveBack = list.giveBack(try scheme("http"))
      #expect(gaveBack)
      #expect(String(decoding: try #require(list.bytes), as: UTF8.self) == text)
    }
  }

  @Test("one that was not there is not there again") func missing() throws {
    var list = try MimeAppsList(nil)
    #expect(list.bytes == nil)
    list.prefer(ours, for: try scheme("photos"))
    #expect(
      list.bytes == Array("[Default Applications]\nx-scheme-handler/photos=\(ours);\n".utf8))
    list.giveBack(try scheme("photos"))
    #expect(list.bytes == nil)
    let again = list.giveBack(try scheme("photos"))
    #expect(!again)
  }

  @Test("one that cannot be read is refused, not written anew") func broken() {
    #expect(throws: DesktopFailure.self) { try MimeAppsList(Array("not a key file\n".utf8)) }
    #expect(throws: DesktopFailure.self) { try MimeAppsList([0x5b, 0xff, 0xfe, 0x0a]) }
  }

  @Test("its schemes are those of defaults and added associations") func schemes() throws {
    let list = try MimeAppsList(
      Array(
        """
        [Default Applications]
        x-scheme-handler/mailto=a.desktop
        text/html=a.desktop
        x-scheme-handler/0bad=a.desktop
        [Added Associations]
        x-scheme-handler/Foo=b.desktop;
        """.utf8))
    #expect(list.schemes.map(\.text) == ["mailto", "foo"])
  }
}

@Suite struct `An exported entry` {
  @Test("says what the freedesktop world needs, in every language") func whole() throws {
    let entry = DesktopEntry(
      identifier: try #require(BundleIdentifier("com.example.a")), name: "Photos; \"all\" \\ ü",
      names: [
        try #require(DesktopLocale(folder: "de.lproj")): "Fotos\nzweite Zeile",
        try #require(DesktopLocale(folder: "fr.lproj")): " \u{7}\t\u{2066}",
        try #require(DesktopLocale(folder: "it.lproj")): "\u{202e}Foto\u{200b}\u{2028}\u{202c}",
      ], icon: "/a/b c.png", schemes: [try scheme("photos"), try scheme("ph+x")],
      program: "/opt/my apps/lsopen")
    #expect(
      String(decoding: entry.bytes, as: UTF8.self) == """
        [Desktop Entry]
        Type=Application
        Name=Photos; "all" \\\\ ü
        Name[de]=Fotos zweite Zeile
        Name[it]=Foto
        Exec="/opt/my apps/lsopen" --from-link %u
        Icon=/a/b c.png
        NoDisplay=true
        StartupNotify=true
        MimeType=x-scheme-handler/photos;x-scheme-handler/ph+x;
        X-LaunchServices-BundleIdentifier=com.example.a

        """)
    let file = try DesktopEntryFile(entry.bytes)
    #expect(file.identifier == "com.example.a")
    #expect(file.schemes.map(\.text) == ["photos", "ph+x"])
  }
}
