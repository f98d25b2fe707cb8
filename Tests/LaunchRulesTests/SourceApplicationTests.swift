import LaunchRules
import Testing

@Suite("Who is told who opened a URL") struct SourceApplicationTests {
  private func application(
    _ name: String, team: String?, on platform: Platform = .iOS, sdk: UInt16 = 26
  ) -> InstalledApplication {
    var application = Sample.app(name, on: platform, sdk: sdk)
    application.declaration.team = team
    return application
  }

  private func isTold(
    _ opener: InstalledApplication?, _ receiver: InstalledApplication
  ) -> Bool { sourceApplication(opener: opener, receiver: receiver) == opener?.identifier }

  @Test("R5.23 one of the same team, and the application itself") func team() {
    let receiver = application("receiver", team: "TEAM")
    #expect(isTold(application("a", team: "TEAM"), receiver))
    #expect(!isTold(application("a", team: "OTHER"), receiver))
    #expect(!isTold(application("a", team: nil), receiver))
    #expect(!isTold(application("a", team: nil), application("receiver", team: nil)))
    let alone = application("receiver", team: nil)
    #expect(isTold(alone, alone))
    #expect(sourceApplication(opener: nil, receiver: receiver) == nil)
  }

  @Test(
    "E2: one linked before iOS 13 is told any sender",
    arguments: [
      (Platform.iOS, 12, true), (.iOS, 13, false), (.iOS, 26, false), (.macOS, 12, false),
    ] as [(Platform, UInt16, Bool)])
  func early(_ platform: Platform, _ sdk: UInt16, _ isTold: Bool) {
    let receiver = application("receiver", team: nil, on: platform, sdk: sdk)
    #expect(self.isTold(application("a", team: "OTHER"), receiver) == isTold)
    #expect(sourceApplication(opener: nil, receiver: receiver) == nil)
  }
}
