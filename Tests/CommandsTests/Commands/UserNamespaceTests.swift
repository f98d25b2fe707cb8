import Testing

@testable import Commands

@Suite("The user namespace of a command") struct UserNamespaceTests {
  @Test(
    "has other users when a number here is another number outside",
    arguments: [
      ("         0          0 4294967295\n", false), ("      1000       1000          1\n", false),
      ("         0       1000          1\n", true), ("      1000          0          1\n", true),
      ("         0       1000          1\n         1     100000      65536\n", true), ("", true),
    ])
  func hasOtherUsers(_ map: String, _ hasOthers: Bool) {
    #expect(UserNamespace.hasOtherUsers(map) == hasOthers)
  }

  @Test("is that of the session in tests") func own() { #expect(!UserNamespace.hasOtherUsers) }
}
