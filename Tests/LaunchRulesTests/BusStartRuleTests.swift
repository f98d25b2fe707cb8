import LaunchRules
import Testing

@Suite("The start of an application that the message bus starts") struct BusStartRuleTests {
  private func start(
    _ variables: [String: String], urls: Int = 1, takesURLs: Bool = true, areFiles: Bool = false
  ) -> BusStartRule.Start {
    BusStartRule.start(urls: urls, takesURLs: takesURLs, areFiles: areFiles, variables: variables)
  }

  @Test("is that of the bus without a display of the opener") func byBus() {
    #expect(start([:]) == .byBus)
    #expect(start(["A": "b", "DISPLAY": ""], takesURLs: false) == .byBus)
  }

  @Test("is that of Exec on the display of the opener, if Exec takes what is opened")
  func byProgram() {
    for name in ["DISPLAY", "WAYLAND_DISPLAY"] {
      #expect(start([name: "x"]) == .byProgram)
      #expect(start([name: "x"], takesURLs: false, areFiles: true) == .byProgram)
      #expect(start([name: "x"], urls: 0, takesURLs: false) == .byProgram)
    }
  }

  @Test("is impossible otherwise, and the failure names the next step") func impossible() {
    let start = start(["WAYLAND_DISPLAY": "w", "DISPLAY": ":1"], takesURLs: false)
    guard case .impossible(let why) = start else {
      Issue.record("\(start)")
      return
    }
    #expect(
      why.contains("'dbus-update-activation-environment --systemd DISPLAY WAYLAND_DISPLAY'"))
  }
}
