import DBus
import Glibc
import Host
import LaunchRules
import ProcessSupervision
import ScriptedProcesses
import Testing

@testable import CallerIdentity

@Suite("Who a caller is") struct CallerIdentifierTests {
  @Test("The surest evidence counts") func evidence() throws {
    let world = IdentityWorld()
    #expect(try world.caller(pid: 7) == .unidentified)
    world.owner = .of(.photos)
    #expect(try world.caller(pid: 7) == .application(.photos, .executable))
    #expect(try world.caller(pid: 41) == .application(.music, .process))
    #expect(try world.caller(pid: 42) == .application(.photos, .processTree))
    #expect(try world.caller(pid: 7, below: 42) == .application(.photos, .processTree))
    world.checkedIn = .music
    #expect(try world.caller(pid: 42) == .application(.music, .checkedIn))
  }

  @Test("An executable that cannot be read may be anybody's: the caller is refused")
  func unreadable() {
    let world = IdentityWorld()
    #expect(throws: BusError.self) { try world.caller(pid: 7, hasExecutable: false) }
  }

  @Test("A sandbox and a unit count only for a registered application") func registered() throws {
    let world = IdentityWorld()
    let unit = try #require(ApplicationUnit.name(for: .photos, random: "0123456789abcdef"))
    for (isRegistered, expected) in [
      (true, Caller.application(.photos, .sandbox)), (false, .unidentified),
    ] {
      world.isRegistered = isRegistered
      #expect(try world.caller(pid: 7) { $0.flatpak = .photos } == expected)
    }
    #expect(try world.caller(pid: 7) { $0.unit = unit } == .unidentified)
    world.isRegistered = true
    #expect(try world.caller(pid: 7) { $0.unit = unit } == .application(.photos, .unit))
  }

  @Test("What is left of the processes of applications is no tool of the daemon, unless it is one")
  func descendants() throws {
    let world = IdentityWorld()
    #expect(
      try world.caller(pid: 7) { $0.childOfDaemon = 7 } == .application(.photos, .processTree))
    world.tool = 7
    #expect(try world.caller(pid: 7) { $0.childOfDaemon = 7 } == .unidentified)
  }

  @Test("A connection of which nothing is known is denied access") func unknown() {
    let world = IdentityWorld()
    for unknown in [CallerTable.Unknown.notOurs, .unread("the bus did not say")] {
      let error = #expect(throws: BusError.self) {
        try world.identifier.caller(on: ":1.7", .failure(unknown))
      }
      #expect(error?.name.text == "org.freedesktop.DBus.Error.AccessDenied")
    }
  }

  @Test("An application shares with all its processes; a program has its own share")
  func shares() {
    let photos = IdentifiedCaller(.application(.photos, .executable), on: ":1.7", .of(7))
    let other = IdentifiedCaller(.application(.photos, .executable), on: ":1.8", .of(8))
    #expect(photos.share == other.share)
    #expect((photos.origin, photos.recordedName) == ("com.example.photos", "com.example.photos"))
    let one = IdentifiedCaller(.unidentified, on: ":1.7", .of(7))
    #expect(one.share == .process(7, startTime: 1))
    #expect(one.share != IdentifiedCaller(.unidentified, on: ":1.8", .of(8)).share)
    #expect(one.origin.hasSuffix("\n7.1"), "\(one.origin)")
  }

  @Test(
    "The groups of a program are its ancestors, outermost first, and those without parents are one")
  func groups() {
    func groups(
      _ lineage: [Int32], unit: String? = nil, beginsWithUser: Bool = false
    ) -> [String] {
      let facts = CallerTable.Facts(
        executable: nil, lineage: lineage.map { ($0, 1) },
        session: .init(number: 7, leaderStartTime: 1), childOfDaemon: nil, unit: unit, flatpak: nil,
        hops: nil, finding: .program, beginsWithUser: beginsWithUser)
      return IdentifiedCaller(.unidentified, on: ":1.7", facts).groups.map(\.description)
    }
    #expect(groups([70, 60, 50, 1]) == ["process 50 1", "process 60 1"])
    #expect(groups([70, 60, 1], beginsWithUser: true) == ["user", "process 60 1"])
    #expect(groups([70, 1], beginsWithUser: true) == ["orphans"])
    #expect(groups([70, 60, 1], unit: "a.scope") == ["a.scope", "process 60 1 of a.scope"])
    let application = "app-gnome-com.example.photos-1.scope"
    #expect(groups([70, 60, 1], unit: application) == [application])
  }

  @Test("An iOS application and a sandbox have their requests for themselves") func confinement() {
    var registry = Registry()
    _ = registry.install(.installed(.photos))
    func confinement(_ caller: Caller, flatpak: BundleIdentifier? = nil) -> String? {
      var facts = CallerTable.Facts.of(7)
      facts.flatpak = flatpak
      return IdentifiedCaller(caller, on: ":1.7", facts).confinement(in: registry)
    }
    #expect(confinement(.application(.photos, .executable)) == "com.example.photos")
    #expect(confinement(.application(.music, .executable)) == nil)
    #expect(confinement(.orphan(isSandboxed: true)) == "?")
    #expect(confinement(.unidentified) == nil)
    #expect(confinement(.unidentified, flatpak: .music) == "com.example.music")
  }
}

/// What the daemon knows beside the facts: process 41 checked in by itself for music, process 42 was started for
/// photos.
final class IdentityWorld {
  var checkedIn: BundleIdentifier?
  var owner = CallerRule.Executable.ofNobody
  var tool: Int32?
  var isRegistered = true
  private let backend = ScriptedBackend()
  private let processes: ProcessSupervisor

  init() {
    var settings = SupervisionSettings(timeout: 20, maximumLaunches: 32)
    settings.launcher = .spawn
    processes = ProcessSupervisor(
      settings, HandlerEnvironment(inheriting: [:]), units: backend, children: backend,
      Journal(program: "caller-identity-tests", environment: [:], descriptor: -1))
    let photos = InstanceID(InstanceSlot(.photos), ordinal: 1)
    processes.add(InstanceID(InstanceSlot(.music), ordinal: 1), pid: 41, startTime: 1)
    processes.start(photos, ApplicationLaunch(.installed(.photos)))
    backend.report(.running(ScriptedProcess(42)), of: photos)
  }

  var identifier: CallerIdentifier {
    CallerIdentifier(
      processes,
      instanceOnConnection: { [checkedIn] _ in
        checkedIn.map { InstanceID(InstanceSlot($0), ordinal: 1) }
      }, registered: { [isRegistered] in isRegistered ? .installed($0) : nil },
      owner: { [owner] _ in owner }, isTool: { [tool] in $0 == tool })
  }

  func caller(
    pid: Int32, below parent: Int32? = nil, hasExecutable: Bool = true,
    _ change: (inout CallerTable.Facts) -> Void = { _ in }
  ) throws -> Caller {
    var facts = CallerTable.Facts.of(pid, below: parent)
    if !hasExecutable { facts.executable = nil }
    change(&facts)
    return try identifier.caller(on: ":1.7", .success(facts)).caller
  }
}

nonisolated extension BundleIdentifier {
  static let photos = BundleIdentifier("com.example.photos")!
  static let music = BundleIdentifier("com.example.music")!
}

nonisolated extension InstalledApplication {
  static func installed(_ identifier: BundleIdentifier) -> InstalledApplication {
    InstalledApplication(
      declaration: ApplicationDeclaration(
        identifier: identifier, program: .arguments(["/bin/true"])),
      propertyList: "/nowhere/\(identifier).plist", folder: "/nowhere")
  }
}

extension CallerTable.Facts {
  static func of(_ pid: Int32, below parent: Int32? = nil) -> Self {
    CallerTable.Facts(
      executable: ProcessDetails(of: getpid())?.executable,
      lineage: [pid, parent].compactMap(\.self).map { ($0, 1) },
      session: .init(number: pid, leaderStartTime: 1), childOfDaemon: nil, unit: nil, flatpak: nil,
      hops: nil, finding: .program)
  }
}
