import DBus
import Host
import LaunchRules
import Records
import Testing

@testable import LaunchServicesDaemon

@MainActor @Suite("The list of remotes", .timeLimit(.minutes(30))) struct RemoteStoreTests {
  @Test("A name that differs in case only from that of another remote is refused") func letterCase()
    throws
  {
    let folder = try StateFolder()
    let journal = Journal(program: "remote-tests", environment: [:], descriptor: -1)
    let store = RemoteStore(
      StateFile(path: folder.file("remotes.plist")), journal)
    let (lower, upper) = (try #require(RemoteName("box")), try #require(RemoteName("Box")))
    try store.add(lower)
    try store.add(lower)
    #expect(
      throws: BusError.invalidArguments(
        "the remote box has this name in another case; use box, or remove it first: lsregister remote"
          + " remove box")
    ) { try store.add(upper) }
    #expect(store.names == [lower])
    try store.remove(lower)
    try store.add(upper)
    #expect(store.names == [upper])
  }

  @Test("A remote that is made again has identifiers of requests of its own, also after a restart")
  func generation() throws {
    let folder = try StateFolder()
    let journal = Journal(program: "remote-tests", environment: [:], descriptor: -1)
    let file = StateFile<RemoteState>(path: folder.file("remotes.plist"))
    let store = RemoteStore(file, journal)
    let box = try #require(RemoteName("box"))
    try store.add(box)
    let first = try #require(store[box]?.generation)
    #expect(!first.isEmpty)
    try store.setCallbacks(true, for: box)
    #expect(RemoteStore(file, journal)[box] == store[box])
    try store.remove(box)
    try store.add(box)
    #expect(store[box]?.generation != first)
    #expect(
      RequestName("a", of: box, generation: first) != RequestName("a", of: box, generation: "0"))
    // A remote of an earlier version keeps its identifiers.
    #expect(RequestName("a", of: box, generation: "").scope == "remote:box")
  }
}

@MainActor @Suite("The pace of callers outside of the session", .timeLimit(.minutes(30)))
struct OutsidePacesTests {
  private static let box = RemoteName("box")!
  private static let containers: [Caller] = ["user", "pid"].map {
    .outsider(.container(namespaces: $0))
  }

  @Test("Each remote has a limit of its own, outsiders one together, and programs of the user none")
  func opens() throws {
    let paces = OutsidePaces(opensPerMinute: 2)
    let other = try #require(RemoteName("other"))
    for caller in [Self.containers[0], .remote(Self.box)] {
      for _ in 0..<2 { try paces.count(.open, of: caller) }
    }
    for caller in Self.containers {
      let failure = #expect(throws: OpenFailure.self) { try paces.count(.open, of: caller) }
      #expect(
        failure?.sentence.hasPrefix(
          "containers and forwarded connections together have requested 2 opens within a minute, which is the"
            + " limit MaximumRemoteOpens of the settings: try again in 30 s") == true)
      #expect(failure?.sentence.hasSuffix("lsregister remote add NAME'") == true)
    }
    #expect(throws: OpenFailure.self) { try paces.count(.open, of: .remote(Self.box)) }
    try paces.count(.open, of: .remote(other))
    for _ in 0..<10 { try paces.count(.open, of: .unidentified) }
    paces.forget(Self.box)
    try paces.count(.open, of: .remote(Self.box))
  }

  @Test("Calls besides opens have a limit, too, and do not use up that of the opens") func others()
    throws
  {
    let paces = OutsidePaces(opensPerMinute: 2)
    for _ in 0..<OutsidePaces.mostOthers { try paces.count(.other, of: .remote(Self.box)) }
    let failure = #expect(throws: OpenFailure.self) {
      try paces.count(.other, of: .remote(Self.box))
    }
    #expect(
      failure?.sentence.hasPrefix(
        "remote:box has made 600 calls within a minute, which is the limit") == true)
    try paces.count(.open, of: .remote(Self.box))
  }
}
