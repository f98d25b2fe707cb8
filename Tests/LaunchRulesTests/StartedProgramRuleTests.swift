import LaunchRules
import Testing

@Suite("A program that is started with a URL") struct StartedProgramRuleTests {
  @Test("is run by a process with its name and the words of Exec, also below an interpreter")
  func isRun() {
    func isRun(_ words: [String], _ commandLine: [String]) -> Bool {
      StartedProgramRule.isRun(words, by: commandLine)
    }
    #expect(isRun(["firefox"], ["/usr/lib/firefox/firefox", "-P", ""]))
    #expect(isRun(["/usr/bin/gajim"], ["/usr/bin/python3", "/usr/bin/gajim", ""]))
    #expect(isRun(["app", "--open"], ["app", "--open", "x:1"]))
    #expect(!isRun(["app", "--open"], ["app"]))
    #expect(!isRun(["python3", "a.py"], ["python3", "b.py"]))
    #expect(!isRun(["app"], ["sh", "-c", "app"]))
    #expect(!isRun(["app"], ["myapp"]))
    #expect(!isRun(["app"], []) && !isRun([], ["app"]) && !isRun([""], [""]) && !isRun(["/"], [""]))
  }

  @Test("is what a process executes that owns its bus name: the program, or what its script starts")
  func ownsName() {
    func isRun(
      _ path: String, isScript: Bool = true, by executable: String, _ commandLine: [String] = ["x"]
    ) -> Bool {
      StartedProgramRule.isRun(
        .init(path: path, isScript: isScript, words: ["app"]), by: executable, commandLine)
    }
    #expect(isRun("/usr/bin/app", isScript: false, by: "/usr/bin/app"))
    #expect(isRun("/nix/store/a/bin/app", isScript: false, by: "/nix/store/a/bin/.app-wrapped"))
    #expect(
      !isRun("/usr/bin/app", isScript: false, by: "/usr/bin/python3", ["python3", "/usr/bin/app"]))
    #expect(!isRun("/usr/bin/app", isScript: false, by: "/usr/lib/app/app"))
    #expect(isRun("/usr/bin/app", by: "/usr/lib/app/app"))
    #expect(isRun("/usr/lib/office/program/soffice", by: "/usr/lib/office/program/soffice.bin"))
    #expect(isRun("/opt/google/chrome/google-chrome", by: "/opt/google/chrome/chrome"))
    #expect(!isRun("/usr/bin/app", by: "/usr/bin/python3", ["python3", "/tmp/app"]))
    #expect(
      isRun("/usr/bin/app", by: "/usr/bin/gjs-console", ["gjs", "-m", "/usr/bin/app", "--x"]))
    #expect(!isRun("/usr/bin/app", by: "/usr/bin/other"))
  }

  @Test("is starting while each of its processes is younger than five seconds")
  func isStarting() {
    #expect(StartedProgramRule.isStarting([.seconds(1), .seconds(4)]))
    #expect(!StartedProgramRule.isStarting([.seconds(1), .seconds(5)]))
    #expect(!StartedProgramRule.isStarting([]))
  }

  @Test("has taken the URL when it ends with 0; while it runs nobody knows") func grades() {
    func grade(_ status: Int32?, _ ranBefore: Bool) -> HandOver? {
      StartedProgramRule.handOver(status: status, ranBefore: ranBefore, process: 42)
    }
    #expect(grade(0, true) == HandOver(.handedOver, by: .arguments, launch: .warm, process: 0))
    #expect(grade(0, false) == HandOver(.handedOver, by: .arguments, launch: .cold, process: 0))
    for ranBefore in [true, false] {
      #expect(
        grade(nil, ranBefore)
          == HandOver(.unacknowledged, by: .arguments, launch: .cold, process: 42))
    }
    #expect(grade(1, false) == nil)
  }

  @Test("is what counts itself, unless its second process is known to forward the URL")
  func watched() {
    func grade(_ handOver: HandOverProtocol?) -> HandOver? {
      StartedProgramRule.handOver(
        status: 0, ranBefore: true, owner: .init(pid: 7, startTime: 1), process: 42, of: handOver)
    }
    #expect(grade(nil) == HandOver(.handedOver, by: .arguments, launch: .warm, process: 0))
    #expect(
      grade(.gtkOpen)
        == HandOver(
          .handedOver, by: .arguments, launch: .warm, owner: .init(pid: 7, startTime: 1)))
  }

  @Test("as a script of the shell may end with the status of any command") func scripts() {
    func grade(_ status: Int32, _ handOver: HandOverProtocol? = nil) -> HandOver? {
      StartedProgramRule.handOver(
        status: status, ranBefore: false, process: 42, of: handOver, isShellScript: true)
    }
    for status: Int32 in [1, 125] {
      let known = grade(status)
      #expect(known?.delivery == .unacknowledged && known?.launch == .cold && known?.process == 0)
      #expect(known?.exitStatus == status)
    }
    for status: Int32 in [126, 127, 139] { #expect(grade(status) == nil) }
    #expect(grade(1, .mozillaRemote) == nil)
    #expect(grade(0)?.exitStatus == nil && grade(0)?.delivery == .handedOver)
  }

  @Test("is a script of the shell by its first line, and as long as it executes nothing else")
  func shells() {
    for line in [
      "#!/bin/sh", "#! /bin/bash -e", "#!/usr/bin/env bash", "#!/usr/bin/env -S dash -e",
    ] {
      #expect(StartedProgramRule.isShellScript(line), "\(line)")
    }
    for line in ["#!/usr/bin/python3", "#!/usr/bin/env python3", "#!", "/bin/sh", ""] {
      #expect(!StartedProgramRule.isShellScript(line), "\(line)")
    }
    #expect(StartedProgramRule.isShell(["/bin/sh", "-c"]) && !StartedProgramRule.isShell([]))
    let words = ["env", "A=b", "/opt/a/a-long-script-name.sh"]
    #expect(StartedProgramRule.isNamed("a-long-script-n", afterProgramOf: words))
    for name in ["app", "a-long-script-name.sh", nil] {
      #expect(!StartedProgramRule.isNamed(name, afterProgramOf: words))
    }
  }

  @Test("another status of a second process means what the framework says, else nothing is known")
  func statuses() {
    func grade(_ status: Int32, _ handOver: HandOverProtocol?) -> String? {
      StartedProgramRule.handOver(
        status: status, ranBefore: true, owner: .init(pid: 7, startTime: 1), process: 42,
        of: handOver
      ).map { "\($0.delivery.rawValue) \($0.process ?? -1)" }
    }
    for status: Int32 in [1, 2, 75, 125] {
      #expect(grade(status, nil) == "unacknowledged 0")
      #expect(grade(status, .chromiumSingleton) == "unacknowledged 0")
    }
    for status: Int32 in [126, 127, 139] { #expect(grade(status, nil) == nil) }
    for handOver in [HandOverProtocol.gtkOpen, .gtkCommandLine, .kdeCommandLine] {
      #expect(grade(1, handOver) == nil)
    }
    #expect(grade(1, .wails) == "handed-over 7")
    #expect(grade(2, .wails) == "unacknowledged 0")
  }

  @Test("is given longer to forward the URL when it runs already") func patience() {
    #expect(StartedProgramRule.patience(ranBefore: false) == .milliseconds(500))
    #expect(StartedProgramRule.patience(ranBefore: true) == .seconds(5))
  }

  @Test("of several that were passed on in one call the least is known") func combined() {
    let all = [
      HandOver(.delivered, by: .freedesktopApplication), HandOver(.handedOver, by: .arguments),
      HandOver(.unacknowledged, by: .arguments),
    ]
    #expect(HandOver.combined(all) == all[2])
    #expect(HandOver.combined(Array(all.dropLast())) == all[1])
    #expect(HandOver.combined([all[0]]) == all[0])
    #expect(HandOver.combined([]) == nil)
  }

  @Test("and fails without a display: the failure says what is missing, and where the output is")
  func withoutDisplay() {
    let failure = StartedProgramRule.failure(
      of: "a.desktop", "exited with code 1", hasDisplay: false)
    #expect(failure.hasPrefix("a.desktop exited with code 1; no display is known: neither"))
    #expect(
      failure.contains("dbus-update-activation-environment --systemd DISPLAY WAYLAND_DISPLAY"))
    #expect(failure.contains("log of launchservicesd"))
    #expect(
      StartedProgramRule.failure(of: "a.desktop", "exited with code 1", hasDisplay: true)
        == "a.desktop exited with code 1")
  }

  @Test("and fails later: the step of the trail says how, and can be read again")
  func failsLater() {
    for failure in [HandOver.Failure.status(1), .status(255), .signal(6)] {
      #expect(HandOver.Failure(step: failure.step) == failure)
    }
    #expect(HandOver.Failure(status: 0, signal: nil) == nil)
    #expect(HandOver.Failure(status: 256, signal: nil) == nil)
    #expect(HandOver.Failure(status: nil, signal: 65) == nil)
    #expect(HandOver.Failure(status: 1, signal: 1) == nil)
    #expect(HandOver.Failure(step: "exit-status-1") == nil)
    #expect(HandOver.Failure(step: HandOver.endedStep) == nil)
  }
}
