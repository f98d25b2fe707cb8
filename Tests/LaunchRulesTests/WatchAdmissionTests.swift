import Testing

@testable import LaunchRules

@Suite("Whether one more connection may be told of events") struct WatchAdmissionTests {
  private func refusal(ofCaller: Int, all: Int, most: Int = 16) -> String? {
    WatchAdmission.refusal(ofCaller: ofCaller, all: all, most: most)?.sentence
  }

  @Test("A caller has a quarter of the places") func share() {
    #expect(refusal(ofCaller: 0, all: 0) == nil)
    #expect(refusal(ofCaller: 3, all: 3) == nil)
    #expect(
      refusal(ofCaller: 4, all: 4)
        == "4 connections of this caller are subscribed already, a quarter of the limit of 16:"
        + " close some of these connections"
    )
    #expect(refusal(ofCaller: 0, all: 0, most: 1) == nil)
  }

  @Test("The last quarter is for callers that have none") func reserve() {
    #expect(refusal(ofCaller: 1, all: 11) == nil)
    #expect(
      refusal(ofCaller: 1, all: 12)
        == "12 connections are subscribed already, and the last 4 of 16 are reserved for callers"
        + " without a subscription: close some connections, or try again later")
    #expect(refusal(ofCaller: 0, all: 15) == nil)
    #expect(
      refusal(ofCaller: 0, all: 16)
        == "16 connections are subscribed already, which is the limit: try again after some have closed"
    )
  }
}
