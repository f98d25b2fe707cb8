import Foundation
import LaunchRules
import PropertyLists
import Testing

@Suite struct `Misspelt keys` {
  @Test(
    "are named, with the key that is meant",
    arguments: [
      ("CFBundleURLType", "CFBundleURLTypes"), ("CFBundleUrlTypes", "CFBundleURLTypes"),
      ("LSApplicationQueriesScheme", "LSApplicationQueriesSchemes"),
      ("UIApplicationShortcutItem", "UIApplicationShortcutItems"),
      ("UIApplicationSceneManifests", "UIApplicationSceneManifest"),
      ("CFBundleDocumentType", "CFBundleDocumentTypes"),
    ])
  func near(_ key: String, _ meant: String) {
    let reading = readApplication("<key>\(key)</key><array/>")
    #expect(
      reading.report == [
        "warning \(key): unknown key \(key): did you mean \(meant)?; it was ignored"
      ])
    #expect(reading.declaration != nil)
  }

  @Test(
    "are not keys of Apple or of others",
    arguments: [
      "CFBundleIconFiles", "CFBundleIcons", "CFBundleIconName", "CFBundleIcons~ipad",
      "CFBundleSignature", "CFBundlePackageType", "CFBundleDevelopmentRegion",
      "CFBundleInfoDictionaryVersion", "CFBundleLocalizations", "DTPlatformBuild", "DTSDKBuild",
      "LSApplicationCategoryType", "LSMinimumSystemVersionByArchitecture", "LSRequiresCarbon",
      "LSUIPresentationMode", "UIDeviceFamily", "UILaunchScreen",
      "UILaunchScreens", "UILaunchStoryboardName", "UILaunchImages~ipad",
      "UISupportsDocumentBrowser", "MinimumOSVersion~ipad", "UIApplicationSupportsMultipleScenes",
      "FacebookAppID", "branch_key", "CFBundle",
    ])
  func others(_ key: String) {
    #expect(readApplication("<key>\(key)</key><string>1</string>").report == [])
  }

  @Test("are not searched without end in a property list with many keys")
  func many() {
    let keys = (0..<20_000).map { "<key>CFBundleURLTyp\($0)</key><true/>" }.joined()
    #expect(readApplication(keys).declaration != nil)
  }

  @Test("are not in the real property lists", .enabled(if: Corpus.folder != nil))
  func corpus() throws {
    for name in Corpus.names {
      let found = try Corpus.read(name, variables: Corpus.variables).report
      #expect(found.filter { $0.contains("unknown key") } == [], "\(name)")
    }
  }
}
