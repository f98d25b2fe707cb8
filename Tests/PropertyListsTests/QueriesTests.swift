import LaunchRules
import PropertyLists
import Testing

@Suite struct `Queries schemes` {
  static func queries(_ schemes: [String], sdk: String = "iphoneos26.0") -> String {
    let list = schemes.map { "<string>\($0)</string>" }.joined()
    return """
      <key>DTSDKName</key><string>\(sdk)</string>
      <key>LSApplicationQueriesSchemes</key><array>\(list)</array>
      """
  }

  static func numbered(_ count: Int) -> [String] { (1...count).map { "s\($0)" } }

  @Test func `are kept as written and in order`() {
    let reading = readApplication(Self.queries(["ddgQuickLink", "b", "a"]))
    #expect(reading.declaration?.queriesSchemes == ["ddgQuickLink", "b", "a"])
    #expect(reading.diagnostics.isEmpty)
  }

  @Test(
    "R3.6 T3.7 T3.8 T3.9 beyond the limit are kept, and named",
    arguments: [
      ("iphoneos26.0", 50, nil), ("iphoneos26.0", 51, 50), ("iphoneos15.0", 51, 50),
      ("iphoneos14.5", 60, nil), ("iphoneos27.0", 25, nil), ("iphoneos27.0", 26, 25),
      ("macosx14.2", 60, nil),
    ] as [(String, Int, Int?)])
  func limits(_ sdk: String, _ count: Int, _ limit: Int?) {
    let reading = readApplication(Self.queries(Self.numbered(count), sdk: sdk))
    #expect(reading.declaration?.queriesSchemes == Self.numbered(count))
    #expect(
      reading.diagnostics.map(\.consequence)
        == (limit.map { ["the entries after the first \($0) do not count: \"s\(count)\""] } ?? []))
  }

  @Test func `R3.6 say which SDK is meant when the property list does not`() {
    let list = Self.numbered(27).map { "<string>\($0)</string>" }.joined()
    let reading = readApplication(
      "<key>LSApplicationQueriesSchemes</key><array>\(list)</array>")
    #expect(
      reading.report == [
        "warning LSApplicationQueriesSchemes: lists 27 schemes, but an application linked with SDK "
          + "27 (the newest, because DTSDKName does not say) may list 25 (R3.6); the entries after "
          + "the first 25 do not count: \"s26\" and \"s27\""
      ])
  }

  @Test func `R3.6 count as written, with duplicates and what is no scheme`() {
    let schemes = Self.numbered(49) + ["S1", "1inch"]
    let reading = readApplication(Self.queries(schemes))
    #expect(reading.declaration?.queriesSchemes == schemes)
    #expect(
      reading.diagnostics.map { "\($0.severity) \($0.keyPath): \($0.problem)" } == [
        "note LSApplicationQueriesSchemes[49]: \"S1\" is listed again, first in "
          + "LSApplicationQueriesSchemes[0]",
        "warning LSApplicationQueriesSchemes[50]: \"1inch\" begins with a digit and is no scheme",
        "warning LSApplicationQueriesSchemes: lists 51 schemes, but an application linked with SDK "
          + "26 may list 50 (R3.6)",
      ])
  }

  @Test func `R3.7 with a colon match nothing and say why`() {
    let reading = readApplication(Self.queries(["fb://"]))
    #expect(reading.declaration?.queriesSchemes == ["fb://"])
    #expect(
      reading.report == [
        "warning LSApplicationQueriesSchemes[0]: \"fb://\" ends with \"://\", which is not part of "
          + "a scheme; no query will match the entry, but it counts towards the limit: write \"fb\" "
          + "alone"
      ])
  }

  @Test func `given as one text are a list of one`() {
    let reading = readApplication(
      "<key>LSApplicationQueriesSchemes</key><string>fb</string>")
    #expect(reading.declaration?.queriesSchemes == ["fb"])
    #expect(reading.diagnostics.map(\.severity) == [.warning])
  }
}
