import Foundation
import Glibc
import LaunchServices
import Testing

@testable import photo_album

@Suite struct `The photo album` {
  /// What it prints when it is asked to open `url`, and whether it handles it.
  @MainActor private static func open(_ url: String) -> Never {
    let handled = URL(string: url).map {
      PhotoAlbum().application(.shared, open: $0, options: [.sourceApplication: "com.example.a"])
    }
    print("handled = \(handled == true)")
    exit(0)
  }

  private func lines(_ result: ExitTest.Result?) -> [Substring] {
    String(decoding: result?.standardOutputContent ?? [], as: UTF8.self).split(separator: "\n")
  }

  @Test("shows the photo of a well-formed URL") func wellFormed() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) { await Self.open("myphotoapp:Vacation?index=1") }
    #expect(
      lines(result).suffix(4) == [
        "source application = com.example.a", "albumPath = Vacation", "photoIndex = 1",
        "handled = true",
      ])
  }

  @Test("says that the index is missing") func noIndex() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) { await Self.open("myphotoapp:albumname?name=%22albumname%22") }
    #expect(
      lines(result).suffix(3) == [
        "source application = com.example.a", "Photo index missing", "handled = false",
      ])
  }

  @Test("says that there are no parameters") func noParameters() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) { await Self.open("myphotoapp:Vacation") }
    #expect(
      lines(result).suffix(3) == [
        "source application = com.example.a", "Invalid URL or album path missing",
        "handled = false",
      ])
  }
}
