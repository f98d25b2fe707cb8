import LaunchRules
import PropertyLists
import Testing

@Suite struct `The platform` {
  static let macOSPath = "/apps/My.app/Contents/Info.plist"
  static let iOSPath = "/apps/My.app/Info.plist"

  @Test(
    "is what the most telling key says",
    arguments: [
      ("", iOSPath, .iOS), ("", macOSPath, .macOS), ("", "/apps/My.plist", .iOS),
      ("<key>DTPlatformName</key><string>iphonesimulator</string>", macOSPath, .iOS),
      ("<key>DTPlatformName</key><string>macosx</string>", iOSPath, .macOS),
      (
        "<key>CFBundleSupportedPlatforms</key><array><string>MacOSX</string></array>", iOSPath,
        .macOS
      ),
      (
        "<key>CFBundleSupportedPlatforms</key><array><string>iPhoneOS</string></array>", macOSPath,
        .iOS
      ),
      ("<key>DTSDKName</key><string>macosx14.2</string>", iOSPath, .macOS),
      ("<key>LSRequiresIPhoneOS</key><true/>", macOSPath, .iOS),
      ("<key>LSRequiresIPhoneOS</key><false/>", macOSPath, .macOS),
      ("<key>UIDeviceFamily</key><array><integer>1</integer></array>", macOSPath, .iOS),
      ("<key>LSMinimumSystemVersion</key><string>12</string>", "/apps/My.plist", .macOS),
      (
        "<key>LSMinimumSystemVersion</key><string>12</string><key>LSRequiresIPhoneOS</key><true/>",
        iOSPath, .iOS
      ),
      ("<key>MinimumOSVersion</key><string>15.0</string>", macOSPath, .iOS),
    ] as [(String, String, Platform)])
  func platforms(_ keys: String, _ path: String, _ platform: Platform) {
    let reading = readApplication(keys, at: path)
    #expect(reading.declaration?.platform == platform)
    #expect(reading.diagnostics.isEmpty)
  }

  @Test func `of another system is left to the other keys`() {
    let reading = readApplication("<key>DTPlatformName</key><string>appletvos</string>")
    #expect(reading.declaration?.platform == .iOS)
    #expect(
      reading.diagnostics.map(\.problem) == [
        "\"appletvos\" is neither an iOS nor a macOS platform"
      ])
  }

  @Test(
    "has the linked SDK of DTSDKName, else of DTPlatformVersion",
    arguments: [
      ("<key>DTSDKName</key><string>iphoneos26.0</string>", LinkedSDK(26)),
      ("<key>DTSDKName</key><string>iphoneos8.4</string>", LinkedSDK(8, 4)),
      ("<key>DTSDKName</key><string>macosx14.2internal</string>", LinkedSDK(14, 2)),
      (
        "<key>DTSDKName</key><string>iphoneos</string>"
          + "<key>DTPlatformVersion</key><string>16.1</string>", LinkedSDK(16, 1)
      ), ("<key>DTPlatformVersion</key><string>16</string>", LinkedSDK(16)),
      ("<key>MinimumOSVersion</key><string>9.0</string>", .newest), ("", .newest),
    ])
  func linkedSDK(_ keys: String, _ sdk: LinkedSDK) {
    let reading = readApplication(keys)
    #expect(reading.declaration?.linkedSDK == sdk)
    #expect(reading.diagnostics.isEmpty)
  }

  @Test(
    "has the newest SDK when the key cannot be read", arguments: ["iphoneos.x", "iphoneos99999"])
  func unreadableSDK(_ name: String) {
    let reading = readApplication("<key>DTSDKName</key><string>\(name)</string>")
    #expect(reading.declaration?.linkedSDK == .newest)
    #expect(
      reading.diagnostics.map(\.problem) == ["\"\(name)\" does not name a version of an SDK"])
  }

  @Test func `is asked of DTSDKName twice, but what is odd there is said once`() {
    let reading = readApplication("<key>DTSDKName</key><string>$(SDK)</string>")
    #expect(reading.diagnostics.map(\.keyPath) == ["DTSDKName"])
  }
}
