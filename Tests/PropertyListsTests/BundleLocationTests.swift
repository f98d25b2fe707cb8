import PropertyLists
import Testing

@Suite struct `A bundle's location` {
  @Test func `is read from the iOS layout`() {
    let location = BundleLocation(propertyList: "/apps/My.app/Info.plist")
    #expect(location.layout == .iOS)
    #expect(location.folder == "/apps/My.app")
    #expect(location.propertyList == "/apps/My.app/Info.plist")
  }

  @Test func `is read from the macOS layout`() {
    let location = BundleLocation(propertyList: "/apps/My.app/Contents/Info.plist")
    #expect(location.layout == .macOS)
    #expect(location.folder == "/apps/My.app")
  }

  @Test(
    "is the folder of a loose property list",
    arguments: [
      ("/apps/My.plist", "/apps"), ("/My.plist", "/"), ("/apps/Info.plist", "/apps"),
      ("/apps/My.app/Other.plist", "/apps/My.app"), ("/apps/.app/Info.plist", "/apps/.app"),
      ("/apps/My/Contents/Info.plist", "/apps/My/Contents"),
    ])
  func loose(_ path: String, _ folder: String) {
    let location = BundleLocation(propertyList: path)
    #expect(location.layout == .loose)
    #expect(location.folder == folder)
  }
}
