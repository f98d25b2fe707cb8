import LaunchRules
import Testing

@Suite("A daemon comes to rest") struct IdleRuleTests {
  @Test("when nothing was done for a whole pause, and is left alone from then on") func rest() {
    var rule = IdleRule()
    for _ in 0..<2 {
      let worked = [rule.worked(), rule.worked(), rule.worked()]
      #expect(worked == [true, false, false])
      let busy = [rule.paused(), rule.worked(), rule.paused(), rule.paused()]
      #expect(busy == [false, false, false, true])
    }
    let once = [rule.worked(), rule.paused()]
    #expect(once == [true, true])
  }
}
