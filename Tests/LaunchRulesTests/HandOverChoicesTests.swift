import LaunchRules
import Testing

@Suite("The user's choices of hand-over protocols") struct HandOverChoicesTests {
  @Test(
    "an entry is written as people write it",
    arguments: [
      ["gtk-open", "org.example.App"], ["gtk-command-line", "org.example.App"],
      ["gtk-open", "com.example.window_*"], ["kde-command-line", "org.kde.example"],
      ["mumble", "net.sourceforge.mumble.mumble"], ["hexchat", "org.hexchat.service"],
      ["mozilla-remote", "thunderbird", ".thunderbird"], ["chromium-singleton", "google-chrome"],
      ["electron-singleton", "Signal"], ["qt-local-peer", "app/socket"],
      ["telegram", "TelegramDesktop"], ["libreoffice", "libreoffice/4"],
      ["tauri", "com.example.app.SingleInstance"], ["wails", "org.wails_app_chat.SingleInstance"],
    ])
  func words(_ words: [String]) throws {
    #expect(try #require(HandOverTable.Entry(words)).words == words)
    #expect(HandOverChoices.Choice(words)?.words == words)
  }

  @Test("entries of the table are written so, too") func table() throws {
    for identifier in HandOverTable.identifiers {
      let entry = try #require(HandOverTable.entry(for: identifier))
      #expect(HandOverTable.Entry(entry.words) == entry)
    }
  }

  @Test(
    "other words are no entry",
    arguments: [
      [], ["gtk-open"], ["gtk-open", "app"], ["gtk-open", "*"], ["gtk-open", "a.b", "c"],
      ["gtk-open", ":1.2"], ["gtk-open", ".a.b"], ["gtk-open", "a.b c"], ["gtk-open", "a.*.b"],
      ["unknown", "a.b"], ["mozilla-remote", "firefox"], ["mozilla-remote", "a.b", "c"],
      ["mozilla-remote", "firefox", "/etc"], ["chromium-singleton", "../etc"],
      ["chromium-singleton", ""], ["qt-local-peer", "/tmp/a"], ["electron-singleton"],
      ["none", "a.b"], ["telegram"], ["telegram", "a/"], ["libreoffice", "/a"],
    ])
  func wrong(_ words: [String]) {
    #expect(HandOverChoices.Choice(words) == nil)
  }

  @Test("a choice goes before the table; none starts a second process") func choices() {
    var choices = HandOverChoices()
    #expect(choices.entry(for: "firefox.desktop") == HandOverTable.entry(for: "firefox.desktop"))
    choices["firefox.desktop"] = HandOverChoices.Choice.none
    #expect(choices.entry(for: "firefox.desktop") == nil)
    choices["a.desktop"] = HandOverChoices.Choice(["gtk-open", "org.example.A"])
    #expect(choices.entry(for: "a.desktop")?.place == .exactly("org.example.A"))
    choices["firefox.desktop"] = nil
    #expect(choices.choices == ["a.desktop": ["gtk-open", "org.example.A"]])
    #expect(choices.entry(for: "firefox.desktop") != nil)
  }
  @Test("the user's choice goes before the property list, which goes before the table")
  func declared() throws {
    let declared = try #require(HandOverTable.Entry(["gtk-open", "com.example.chat"]))
    var choices = HandOverChoices()
    #expect(choices.entry(for: "com.example.chat", declared: declared) == declared)
    #expect(choices.entry(for: "firefox.desktop", declared: declared) == declared)
    choices["com.example.chat"] = HandOverChoices.Choice(["tauri", "a.b"])
    #expect(choices.entry(for: "com.example.chat", declared: declared)?.handOver == .tauri)
    choices["com.example.chat"] = HandOverChoices.Choice.none
    #expect(choices.entry(for: "com.example.chat", declared: declared) == nil)
  }
}
