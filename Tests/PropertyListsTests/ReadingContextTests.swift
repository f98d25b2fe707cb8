import LaunchRules
import Testing

@testable import PropertyLists

@Suite("The diagnostics of one property list") struct ReadingContextTests {
  @Test("A diagnostic that is repeated is listed once, and counted once beyond the limit")
  func repeated() {
    let context = ReadingContext(
      location: BundleLocation(propertyList: "/a.plist"), variables: .none)
    for _ in 0..<3 {
      for number in 0..<ReadingContext.mostDiagnostics + 5 {
        context.report(.warning, "key\(number)", "is odd", "it was ignored")
      }
    }
    let all = context.finish()
    #expect(all.count == ReadingContext.mostDiagnostics + 1)
    #expect(all.last?.problem == "5 more findings are left out")
  }
}
