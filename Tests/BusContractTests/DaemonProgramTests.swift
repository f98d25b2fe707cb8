import BusContract
import DBus
import Glibc
import Testing

@Suite("The program of the daemon, where no bus names the daemon") struct DaemonProgramTests {
  private static let own = DaemonProgram.link("/proc/self/exe") ?? ""
  private static let folder = "/tmp/launch-services-daemon-program-\(getpid())"

  /// A folder in which `launchservicesd` is a link to a program.
  private static func withLink<Result>(
    to program: String, _ body: (_ folder: String) throws -> Result
  ) rethrows -> Result {
    let folder = "\(folder)-\(UInt32.random(in: 0 ... .max))"
    unsafe mkdir(folder, 0o700)
    unsafe symlink(program, folder + "/launchservicesd")
    defer {
      unsafe unlink(folder + "/launchservicesd")
      unsafe rmdir(folder)
    }
    return try body(folder)
  }

  @Test(
    "is looked for in the chosen folder, in PATH, in the home folder, and beside the client",
    arguments: ["LAUNCH_SERVICES_PROGRAMS", "PATH", "HOME", "own"])
  func places(_ variable: String) {
    let program = DaemonProgram(
      environment: { $0 == variable ? (variable == "PATH" ? "bin:/x:/y" : "/x") : nil },
      own: variable == "own" ? "/x/lsopen" : nil)
    let folder = variable == "HOME" ? "/x/.local/bin" : "/x"
    #expect(program.places.contains(folder + "/launchservicesd"))
    #expect(program.places.allSatisfy { $0.hasPrefix("/") })
  }

  @Test("is that of a process, when it is the same file, whatever its name") func same() {
    Self.withLink(to: Self.own) { folder in
      let program = DaemonProgram(environment: { $0 == "PATH" ? folder : nil }, own: nil)
      #expect(program.isRun(by: UInt32(getpid())))
    }
  }

  @Test("is not that of a process with another file, one that has ended, or one that is hidden")
  func others() {
    Self.withLink(to: "/bin/sh") { folder in
      let program = DaemonProgram(environment: { $0 == "PATH" ? folder : nil }, own: nil)
      #expect(!program.isRun(by: UInt32(getpid())))
      #expect(!program.isRun(by: 0))
      #expect(!program.isRun(by: .max))
      #expect(
        program.objection(to: UInt32(getpid()), which: "listens at /s").hasPrefix(
          "process \(getpid()) listens at /s, and is not launchservicesd: it runs \(Self.own), so nothing was sent"
        ))
    }
  }

  @Test(
    "may be that of a daemon beside a bus only where the bus cannot start one",
    arguments: [
      (ErrorName.serviceUnknown, true), (.nameHasNoOwner, false), (.timedOut, false),
      ("org.freedesktop.DBus.Error.Spawn.ChildExited", false), (.noReply, false),
    ] as [(ErrorName, Bool)])
  func errors(_ name: ErrorName, _ mayAnswer: Bool) {
    #expect(DirectOnlyDaemon.mayAnswer(instead: BusError(name, "")) == mayAnswer)
  }
}
