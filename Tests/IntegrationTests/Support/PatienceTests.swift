import Testing

@testable import LaunchServicesTesting

@Suite("The time for which tests wait") struct PatienceTests {
  @Test(
    "is the number of seconds in the variable, else a minute",
    arguments: [
      (nil, 60), ("300", 300), ("1", 1), ("86400", 86_400), ("", 60), ("0", 60), ("-5", 60),
      ("86401", 60), ("5m", 60), ("1e3", 60),
    ])
  func duration(_ text: String?, _ seconds: Int) {
    #expect(Patience.duration(text) == .seconds(seconds))
  }
}
