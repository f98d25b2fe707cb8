import DBus
import Host
import LaunchRules
import Testing

@testable import LaunchServicesDaemon

@MainActor @Suite("The list of remotes", .timeLimit(.minutes(5))) struct RemoteStoreTests {
  @Test("A name that differs in case only from that of another remote is refused") func letterCase()
    throws
  {
    let folder = try StateFolder()
    let journal = Journal(program: "remote-tests", environment: [:], descriptor: -1)
    let store = RemoteStore(
      StateFile(path: folder.file("remotes.plist")), perMinute: 30, journal)
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
}
