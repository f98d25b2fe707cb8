import DBus
import Foundation
import Synchronization
import Testing

@testable import LaunchServicesTesting

/// The kit itself: what goes wrong in a test is said, and nothing is left behind.
@Suite("The testbed", .timeLimit(.minutes(30)))
struct TestbedTests {
  @Test("What does not come is named, with what came instead")
  func neverCame() async throws {
    let inbox = await Inbox<String>()
    await inbox.put("something else")
    await #expect {
      try await inbox.next("the answer", within: .milliseconds(1)) { $0 == "answer" }
    } throws: { error in
      "\(error)"
        == "the answer did not come within 0.001 seconds; instead: something else"
    }
    #expect(await inbox.contents == ["something else"])
  }

  @Test("A text that is no scheme is an error, because the claim would be refused without a word")
  func noScheme() async throws {
    try await Testbed.run { world in
      await #expect {
        try await world.install("com.example.photos", schemes: ["photos", "myapp://"])
      } throws: { error in
        "\(error)".hasPrefix(
          "'myapp://' of com.example.photos is not the name of a URL scheme, such as photos: ")
      }
    }
  }

  @Test("A daemon that does not start is said to have ended, with what it wrote")
  func daemonThatDoesNotStart() async throws {
    await #expect {
      try await Testbed.run(["--nonsense"]) { _ in Issue.record("it started") }
    } throws: { error in
      "\(error)".hasPrefix(
        "the daemon exited with code 64 before it owned its name; it wrote:\nlaunchservicesd: ")
    }
  }

  @Test("A process that does not end on SIGTERM is killed and reported")
  func leftover() async throws {
    let folders = Mutex("")
    await #expect {
      try await Testbed.run { world in
        folders.withLock { $0 = world.folder }
        try await world.install("com.example.stubborn", schemes: ["stubborn"]) {
          $0.executable = .file(
            "#!/bin/sh\ntrap '' TERM\necho deaf >&2\nexec sleep 1000\n", permissions: 0o755)
        }
        _ = world.client.opening("stubborn:")
        try await world.daemon.line(containing: "deaf")
      }
    } throws: { error in
      "\(error)".contains("processes were left over and had to be killed")
        && "\(error)".hasSuffix(" sleep 1000 ")
    }
    // The daemon and the bus used to stay behind when a handler did.
    let folder = folders.withLock { $0 }
    #expect(await Leftovers(folder: folder, known: []).processes == [])
  }

  @Test("The error of the test comes out, and the world is ended all the same")
  func errorOfTheTest() async throws {
    struct Mine: Error {}
    let folders = Mutex("")
    await #expect(throws: Mine.self) {
      try await Testbed.run { world in
        folders.withLock { $0 = world.folder }
        throw Mine()
      }
    }
    let folder = folders.withLock { $0 }
    #expect(await Leftovers(folder: folder, known: []).processes == [])
    #expect(FileManager.default.fileExists(atPath: folder) == false)
  }

  @Test("With the system applications, a claim on tel loses, and Safari gets web links")
  func systemApplications() async throws {
    try await Testbed.run(withSystemApplications: true) { world in
      try await world.install("com.example.dialer", schemes: ["tel", "dialer"])
      #expect(
        try await world.client.open("tel:+15550100").handler == "org.launchservices.system.Phone")
      #expect(
        try await world.client.open("https://example.com/").handler
          == "org.launchservices.system.Safari")
      #expect(try await world.client.open("dialer:1").handler == "com.example.dialer")
    }
  }

  @Test("An application that cannot run is an error, and what it wrote is shown")
  func failedLaunch() async throws {
    let result = await #expect(
      processExitsWith: .exitCode(5), observing: [\.standardErrorContent]
    ) {
      do {
        try await Testbed.run { world in
          try await world.install("com.example.broken", schemes: ["broken"]) {
            $0.executable = .file(
              "#!/bin/sh\necho 'a library is missing' >&2\nexit 3\n", permissions: 0o755)
          }
          _ = try await world.client.open("broken:1")
        }
      } catch let refusal as Refusal where refusal.name.hasSuffix(".HandlerExited") {
        exit(5)
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text.contains("HandlerExited; the daemon and its applications wrote last:\n"), "\(text)")
    #expect(text.contains("a library is missing\n"), "\(text)")
  }

  @Test("A question as an application that is not registered is an error, and no answer")
  func misspeltApplication() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      try await #expect(!world.client.canOpen("photos:1", as: "com.example.photos"))
      let refusal = await #expect(throws: Refusal.self) {
        try await world.client.canOpen("photos:1", as: "com.example.photo")
      }
      #expect(refusal?.name == "org.launchservices.Error.ApplicationNotFound")
      #expect(refusal?.text == "no application com.example.photo is registered")
    }
  }

  @Test("Nothing of the machine is seen: no applications, no services, no other bus")
  func isolation() async throws {
    try await Testbed.run { world in
      #expect(try await world.client.applications() == [])
      let names = try await world.client.call(
        .call(
          to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
          interface: "org.freedesktop.DBus", member: "ListActivatableNames"))
      #expect(names.first?.asStrings == ["org.freedesktop.DBus"])
      for (name, path) in world.environment where name.hasPrefix("XDG_") || name == "HOME" {
        #expect(path.hasPrefix(world.folder))
      }
    }
  }
}
