import LaunchRules
import Testing

@Suite("Launchers") struct LauncherTests {
  @Test("Which launcher is used", arguments: LauncherSetting.allCases)
  func choice(_ setting: LauncherSetting) {
    func choose(_ hasManager: Bool, _ hasName: Bool = true) -> LauncherChoice {
      .choose(setting, hasServiceManager: hasManager, hasUnitName: hasName)
    }
    switch setting {
    case .automatic:
      #expect(choose(true) == .unit)
      #expect(choose(false) == .process)
      #expect(choose(true, false) == .process)
      #expect(LauncherChoice.afterRefusal(setting, why: "full") == .process)
    case .spawn:
      #expect(choose(true) == .process)
      #expect(choose(false) == .process)
    case .systemd:
      #expect(choose(true) == .unit)
      #expect(
        choose(false)
          == .refused(
            "the launcher is systemd (setting Launcher, --launcher or --confined), but org.freedesktop.systemd1 is not on the session"
              + " bus; set it to automatic or spawn, or start a user manager"))
      guard case .refused = choose(true, false) else {
        Issue.record("a unit without a name")
        return
      }
      #expect(
        LauncherChoice.afterRefusal(setting, why: "full")
          == .refused("systemd refused the unit: full"))
    }
  }

  @Test("What the end of a unit means") func ends() {
    #expect(UnitEnd(code: 1, status: 3) == .exited(code: 3))
    #expect(UnitEnd(code: 2, status: 15) == .signalled(number: 15))
    #expect(UnitEnd(code: 3, status: 11) == .signalled(number: 11))
    #expect(UnitEnd(code: 0, status: 0) == .unknown)
    #expect(UnitEnd(code: nil, status: nil) == .unknown)
  }

  @Test(
    "Why a unit has not started its program",
    arguments: [
      ("failed", UnitEnd.exited(code: 203), -10827, "/x: cannot run it: it may not be executed"),
      ("failed", .exited(code: 200), -10810, "/x: the home folder cannot be entered"),
      ("failed", .exited(code: 209), -10810, "/x: systemd could not set up the new process"),
      ("failed", .unknown, -10810, "/x: systemd could not start it: failed, resources"),
      ("canceled", .signalled(number: 15), -10810, "/x: it was stopped before it had started"),
      ("timeout", .unknown, -10810, "/x: systemd took too long to start it"),
      ("failed", .exited(code: 3), -600, "/x ended while launching: exited with code 3"),
      ("failed", .signalled(number: 9), -600, "/x ended while launching: was ended by signal 9"),
    ])
  func failures(_ job: String, _ end: UnitEnd, _ status: Int, _ text: String) {
    let failure = end.launchFailure(job: job, result: "resources", executable: "/x")
    #expect(failure.status == status)
    #expect(failure.sentence.hasPrefix(text))
  }

  @Test("A unit is frozen and thawed, one order after the other") func freezer() {
    var freezer = UnitFreezer()
    #expect(freezer.handle(.suspend) == .freeze)
    #expect(freezer.handle(.resume) == nil)
    #expect(freezer.handle(.done) == .thaw)
    #expect(freezer.handle(.suspend) == nil)
    #expect(freezer.handle(.done) == .freeze)
    #expect(freezer.handle(.done) == nil)
    #expect(freezer.state == .frozen)
    #expect(freezer.handle(.resume) == .thaw)
    #expect(freezer.handle(.done) == nil)
    #expect(freezer.state == .running)
  }

  @Test("What cannot be frozen is stopped with signals") func signals() {
    var freezer = UnitFreezer()
    _ = freezer.handle(.suspend)
    #expect(freezer.handle(.refused) == .stop)
    #expect(freezer.handle(.suspend) == nil)
    #expect(freezer.handle(.resume) == .proceed)
    #expect(freezer.state == .running)
    _ = freezer.handle(.suspend)
    _ = freezer.handle(.resume)
    #expect(freezer.handle(.refused) == nil)
    #expect(freezer.state == .running)
  }

  @Test(
    "A unit cannot be given every variable",
    arguments: [
      ("PATH", true), ("BASH_FUNC_x%%", true), ("_a", true), ("", false), ("1a", false),
      ("a b", false), ("ä", false), ("a=b", false),
    ])
  func variables(_ name: String, _ isAllowed: Bool) {
    #expect(UnitEnvironment.allows(name) == isAllowed)
  }
}
