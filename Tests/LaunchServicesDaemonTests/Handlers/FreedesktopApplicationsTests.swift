import BusContract
import DBus
import DBusMainLoop
import Glibc
import Host
import LaunchRules
import ProcessSupervision
import ScriptedProcesses
import Testing

@testable import CallerIdentity
@testable import LaunchServicesDaemon

@MainActor @Suite("Applications with a bus name", .timeLimit(.minutes(30)))
struct FreedesktopApplicationsTests {
  /// A world with an application for photos that the bus starts. The other end of the socket is the bus.
  private func world(
    _ answer: @escaping (_ member: String) -> [Value]? = { _ in nil }
  ) async throws -> DaemonWorld {
    let world = try await DaemonWorld(keys: "<key>DBusActivatable</key><true/>")
    world.serveBus(answer)
    world.handlers.freedesktop.start()
    return world
  }

  private static let owner = SocketPair.name

  @Test(
    "The bus starts the application; the owner of its name receives the URL, without a check-in")
  func activates() async throws {
    let asked = EventStream<String>()
    let world = try await world {
      asked.add($0)
      return $0 == "Open" ? [] : nil
    }
    try world.open("photos:1")
    while try await asked.next() != "StartServiceByName" {}
    world.opening.handlerEvents.ownerChanged(of: DaemonWorld.photos.text, to: Self.owner)
    #expect(try await world.answers.next() == "photos:1 delivered cold")
    #expect(try await world.heard.next() == "Open")
    #expect(world.backend.orders.isEmpty)
    let id = try #require(world.handlers.deliveries.instance(metAs: DaemonWorld.photos))
    #expect(world.handlers.supervisor[id]?.pid == getpid())
  }

  @Test("What the bus cannot start is started as a program; an activation without an answer fails")
  func failures() async throws {
    for name in [ErrorName.serviceUnknown, "org.freedesktop.DBus.Error.NoReply"] {
      let world = try await world()
      world.sockets.other.onCall = { call in
        if call.member == "StartServiceByName" {
          call.fail(BusError(name, "the reason"))
        } else {
          call.fail(BusError(.nameHasNoOwner, "there is none"))
        }
      }
      try world.open("photos:1")
      if name == .serviceUnknown {
        #expect(try await world.ordered().slot.application == DaemonWorld.photos)
      } else {
        #expect(
          try await world.answers.next()
            == "photos:1 LaunchFailed: the message bus could not start com.example.photos:"
            + " the reason (OSStatus error -10810)")
        #expect(world.backend.orders.isEmpty)
      }
    }
  }

  @Test("An application that runs already is found when the daemon starts") func found()
    async throws
  {
    let world = try await DaemonWorld(keys: "<key>DBusActivatable</key><true/>")
    let events = EventStream<String>()
    world.handlers.freedesktop.onEvent = {
      guard case .owned(let ownership) = $0 else { return events.add("\($0)") }
      events.add("\(ownership.owner) \(ownership.process.pid) \(ownership.ranBefore)")
    }
    world.serveBus { $0 == "GetNameOwner" ? [.string(Self.owner)] : nil }
    world.handlers.freedesktop.start()
    #expect(try await events.next() == "\(Self.owner) \(getpid()) true")
    // The names of other applications are nobody's.
    #expect(world.handlers.freedesktop.ownerChanged(of: "com.example.none", to: ":1.9") == nil)
  }

  @Test("An owner that cannot be identified fails the launch that waits for it, with the reason")
  func refused() async throws {
    let asked = EventStream<String>()
    let world = try await world()
    world.sockets.other.onCall = { call in
      asked.add(call.member)
      switch call.member {
      case "GetConnectionCredentials", "GetNameOwner":
        call.fail(BusError(.nameHasNoOwner, "there is none"))
      default: call.succeed()
      }
    }
    try world.open("photos:1")
    while try await asked.next() != "StartServiceByName" {}
    world.opening.handlerEvents.ownerChanged(of: DaemonWorld.photos.text, to: ":1.9")
    #expect(
      try await world.answers.next()
        == "photos:1 LaunchFailed: the owner of the bus name com.example.photos was refused:"
        + " the caller is not a process of this user that can be identified (OSStatus error -10810)"
    )
  }

  @Test("An application that releases its name has left; the next open asks the bus again")
  func released() async throws {
    let asked = EventStream<String>()
    let world = try await world {
      asked.add($0)
      return $0 == "Open" ? [] : nil
    }
    world.opening.handlerEvents.ownerChanged(of: DaemonWorld.photos.text, to: Self.owner)
    try world.open("photos:1")
    #expect(try await world.answers.next().hasPrefix("photos:1 delivered "))
    world.opening.handlerEvents.ownerChanged(of: DaemonWorld.photos.text, to: "")
    #expect(!world.coordinator.runs(DaemonWorld.photos))
    #expect(world.handlers.deliveries.instance(metAs: DaemonWorld.photos) == nil)
    try world.open("photos:2")
    while try await asked.next() != "StartServiceByName" {}
  }
}
