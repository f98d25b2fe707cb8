import LaunchRules
import Testing

@testable import AssociationFiles

@Suite("The diagnostics of one association file") struct DiagnosticLimitTests {
  @Test("A diagnostic that is repeated is listed once, and counted once beyond the limit")
  func repeated() {
    var reading = ContentsReading(path: "/a.json")
    for _ in 0..<3 {
      for number in 0..<105 {
        reading.report(.warning, "key\(number)", "is odd", "it was ignored")
      }
    }
    let all = reading.finish()
    #expect(all.count == 101)
    #expect(all.last?.problem == "5 more findings are left out")
  }
}
