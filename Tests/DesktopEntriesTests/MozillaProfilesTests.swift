import Foundation
import Testing

@testable import DesktopEntries

@Suite("The profiles of a Mozilla application") struct MozillaProfilesTests {
  private func defaults(_ files: [String: String]) throws -> [String] {
    let folder = NSTemporaryDirectory() + "profiles-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for (name, text) in files {
      try text.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
    }
    return MozillaProfiles(folder: folder).defaults.map {
      $0.path.replacingOccurrences(of: folder, with: "F")
    }
  }

  @Test("are those of the installations, then the default one, each once") func defaults() throws {
    #expect(try defaults([:]) == [])
    let profiles = """
      [Profile1]
      Name=esr
      IsRelative=1
      Path=a.esr

      [Profile0]
      Name=other
      IsRelative=0
      Path=/elsewhere/b
      Default=1

      [General]
      StartWithLastProfile=1

      [Install3B60]
      Default=a.esr
      Locked=1
      """
    #expect(try defaults(["profiles.ini": profiles]) == ["/elsewhere/b", "F/a.esr"])
    #expect(
      try defaults(["profiles.ini": profiles, "installs.ini": "[3B60]\nDefault=a.esr\n"])
        == ["F/a.esr", "/elsewhere/b"])
    #expect(try defaults(["profiles.ini": "no list"]) == [])
  }

  @Test("have the Base64 text of their path") func base64() {
    #expect(MozillaProfiles.Profile(path: "/tmp/fh/home/ffp").base64 == "L3RtcC9maC9ob21lL2ZmcA==")
  }
}
