import LaunchRules
import Testing

@testable import LaunchServicesDaemon

@MainActor @Suite("Notifications about missing system applications") struct MissingNoticesTests {
  @Test("D9: one about an application and an opener in 10 s") func pause() {
    var notices = MissingNotices()
    let start = ContinuousClock.now
    func isDue(_ application: SystemApplication, _ opener: String, after seconds: Int) -> Bool {
      notices.isDue(application, for: opener, at: start + .seconds(seconds))
    }
    #expect(isDue(.mail, "a", after: 0))
    #expect(!isDue(.mail, "a", after: 9))
    #expect(isDue(.mail, "b", after: 9))
    #expect(isDue(.phone, "a", after: 9))
    #expect(isDue(.mail, "a", after: 10))
    #expect(!isDue(.mail, "b", after: 10))
  }

  @Test("D9: the number in that time is limited") func limit() {
    var notices = MissingNotices()
    let start = ContinuousClock.now
    let shown = (0..<100).filter { notices.isDue(.mail, for: "\($0)", at: start) }
    #expect(shown.count == 64)
    let isDueLater = notices.isDue(.mail, for: "more", at: start + .seconds(10))
    #expect(isDueLater)
  }
}
