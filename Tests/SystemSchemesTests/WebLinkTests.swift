import SystemSchemes
import Testing

@Suite struct `Links of iTunes and YouTube` {
  @Test(
    "R9.17 a link of iTunes is passed on unchanged",
    arguments: [
      "http://phobos.apple.com/WebObjects/MZStore.woa/wa/viewAlbum?i=156093464&id=156093462&s=143441",
      "https://itunes.apple.com/us/album/%E2%82%AC?x=%FF#y", "https://apps.apple.com/app/id1",
      "HTTPS://MUSIC.apple.com/",
    ])
  func iTunes(_ text: String) throws {
    let url = try ITunesURL(text)
    #expect(url.link == text)
    #expect(url.notes == [])
    #expect(try SystemURL(text) == .iTunes(url))
  }

  @Test(
    "R9.18 a link of YouTube names its video",
    arguments: [
      ("http://www.youtube.com/watch?v=VIDEO_IDENTIFIER", "VIDEO_IDENTIFIER" as String?),
      ("http://www.youtube.com/v/VIDEO_IDENTIFIER", "VIDEO_IDENTIFIER"),
      ("https://www.youtube.com/watch?list=1&v=a-b_c&t=3", "a-b_c"),
      ("https://www.youtube.com/", nil), ("https://www.youtube.com/watch", nil),
    ])
  func youTube(_ text: String, _ video: String?) throws {
    let url = try YouTubeURL(text)
    #expect(url.video == video)
    #expect(url.notes == [])
    #expect(try SystemURL(text) == .youTube(url))
  }

  @Test(
    "R9.18 what is no identifier is dropped, and the page shown",
    arguments: ["watch?v=a%20b", "v/a/b", "watch?v="])
  func odd(_ path: String) throws {
    let url = try YouTubeURL("http://www.youtube.com/" + path)
    #expect(url.video == nil)
    #expect(url.notes.count == 1)
  }

  @Test(
    "there is no rule for other URLs",
    arguments: [
      "https://example.com/", "https://maps.apple.com.example.com/",
      "https://youtube.com/watch?v=a",
      "http://maps.apple.com@example.com/", "myphotoapp:Vacation?index=1", "youtube:a", "http:",
    ])
  func noRule(_ text: String) throws {
    #expect(try SystemURL(text) == nil)
    #expect(told(text) == [])
  }

  @Test("an explanation has a line for what is done, and one for each note") func explanation() {
    #expect(
      told("tel:*21#") == [
        "dials nothing, and shows \"*21#\"", "number: it is not dialled: it contains * or # (R9.6)",
      ])
    #expect(
      told("sms:1?body=x") == [
        "nothing would be done with it: it contains more than a number: an sms URL must not have a"
          + " message text or anything else (R9.12)"
      ])
    #expect(told("sms:").count == 1)
  }

  @Test("a format of its own refuses other schemes") func wrongScheme() {
    #expect(throws: FormatProblem.self) { try TelURL("sms:1") }
    #expect(throws: FormatProblem.self) { try SMSURL("not a URL") }
  }
}

@Suite struct `System URLs` {
  @Test("are explained in short lines, however long they are")
  func long() {
    for start in ["tel:", "sms:", "mailto:a@", "facetime:", "http://www.youtube.com/v/"] {
      let lines = told(start + String(repeating: "1", count: 1 << 20))
      #expect(!lines.isEmpty && lines.allSatisfy { $0.utf8.count < 300 }, "\(start)")
    }
    let names = (0..<30).map { String(repeating: "f", count: 10_000) + "\($0)=%FF" }
    let lines = told("mailto:a@b?" + names.joined(separator: "&"))
    #expect(lines.allSatisfy { $0.utf8.count < 300 })
  }

  @Test("are never too odd to be read, whatever the bytes")
  func noise() {
    let pieces = [
      "tel:", "sms:", "mailto:", "facetime://", "http://maps.apple.com/?", "%00", "%23", "*", "#",
      "?", "&", "=", "q=", "z=1e9", ",", "@", "\"", "%FF", "+", "1", "é", "//", ":", ";", "[", "%",
    ]
    var state: UInt64 = 7
    for _ in 0..<20_000 {
      var text = ""
      for _ in 0..<8 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        text += pieces[Int((state >> 33) % UInt64(pieces.count))]
      }
      for line in told(text) {
        #expect(!line.isEmpty && !line.contains(where: \.isNewline), "\(text)")
      }
    }
  }
}
