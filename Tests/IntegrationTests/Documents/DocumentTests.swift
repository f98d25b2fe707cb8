import DBus
import Foundation
import LaunchServicesTesting
import Testing

@MainActor
@Suite("Documents", .timeLimit(.minutes(30)))
struct DocumentTests {
  @Test("R5.28 those of one application arrive at once and in order, cold and warm")
  func together() async throws {
    try await Testbed.run { world in
      try await world.installCoreTypes()
      let text = try await world.install("com.example.text", opening: ["public.text"])
      let image = try await world.install("com.example.image", opening: ["public.image"])
      let names = ["b.txt", "a.png", "a b\nc.txt", "c.PNG", "a.swift"]
      let urls = try names.map { try world.write(document: $0) }
      for launch in [Receipt.Outcome.Launch.cold, .warm] {
        let fates = try await world.client.openDocuments(urls)
        #expect(fates.map(\.documents) == [[urls[0], urls[2], urls[4]], [urls[1], urls[3]]])
        #expect(fates.map(\.receipt?.handler) == ["com.example.text", "com.example.image"])
        #expect(
          fates.map(\.receipt?.outcome)
            == [
              Receipt.Outcome(launch, .delivered, handled: true),
              Receipt.Outcome(launch, .delivered, handled: true),
            ])
        #expect(text.deliveries() == [[urls[0], urls[2], urls[4]]])
        #expect(image.deliveries() == [[urls[1], urls[3]]])
      }
    }
  }

  @Test("R5.28 a designated application gets all of them, whether it claims them or not")
  func designated() async throws {
    try await Testbed.run { world in
      let a = try await world.install("com.example.a")
      let urls = try ["a.txt", "b.png", "c"].map { try world.write(document: $0) }
      let fates = try await world.client.openDocuments(urls, with: "com.example.a")
      #expect(fates.map(\.documents) == [urls])
      #expect(a.deliveries() == [urls])
    }
  }

  @Test("R5.27 an application that claims the scheme file gets each by itself") func fileScheme()
    async throws
  {
    try await Testbed.run { world in
      let a = try await world.install("com.example.a", schemes: ["file"])
      let urls = try ["a.txt", "b.png"].map { try world.write(document: $0) }
      let fates = try await world.client.openDocuments(urls)
      #expect(fates.map(\.documents) == [[urls[0]], [urls[1]]])
      #expect(a.deliveries() == [[urls[0]], [urls[1]]])
    }
  }

  @Test("what fails is an entry that says why, and the others are opened") func failures()
    async throws
  {
    try await Testbed.run { world in
      try await world.installCoreTypes()
      let text = try await world.install("com.example.text", opening: ["public.text"])
      let url = try world.write(document: "a.txt")
      let odd = try world.write(document: "a.odd", "\u{0}\u{1}")
      let missing = "file://\(world.documents)/missing.txt"
      let fates = try await world.client.openDocuments(
        [missing, odd, url, "file://elsewhere/a.txt", "x:1"])
      #expect(fates.map(\.documents.first) == [missing, odd, url, "file://elsewhere/a.txt", "x:1"])
      try #require(fates.count == 5)
      #expect(
        fates[0].refusal
          == Refusal(
            "NoSuchFile",
            "The file \(world.documents)/missing.txt does not exist. (OSStatus error -43)"
          ))
      #expect(fates[1].refusal?.name.hasSuffix("ApplicationNotFound") == true)
      #expect(fates[2].receipt?.handler == "com.example.text")
      #expect(fates[3].refusal?.name.hasSuffix("InvalidURL") == true)
      #expect(fates[4].refusal?.name.hasSuffix("InvalidURL") == true)
      #expect(text.deliveries() == [[url]])
    }
  }

  @Test("OpenURL with a file URL is an open of one document") func openURL() async throws {
    try await Testbed.run { world in
      try await world.installCoreTypes()
      let text = try await world.install("com.example.text", opening: ["public.text"])
      let url = try world.write(document: "a.txt")
      let receipt = try await world.client.open(url)
      #expect(receipt.handler == "com.example.text")
      #expect(text.deliveries() == [[url]])
      await #expect(
        throws: Refusal("NoSuchFile", "The file /no such file does not exist. (OSStatus error -43)")
      ) { try await world.client.open("file:///no%20such%20file") }
    }
  }

  @Test(
    "R5.24 R1.37 open-in-place follows the key on iOS, and is true on macOS",
    arguments: [
      (Profile.iOS, false, false), (.iOS, true, true), (.macOS, false, true),
    ])
  func inPlace(_ profile: Profile, _ hasKey: Bool, _ expected: Bool) async throws {
    try await Testbed.run { world in
      try await world.installCoreTypes()
      let text = try await world.install("com.example.text", opening: ["public.text"]) {
        $0.sdk = profile.rawValue
        $0.otherKeys["LSSupportsOpeningDocumentsInPlace"] = .boolean(hasKey)
      }
      let url = try world.write(document: "a.txt")
      _ = try await world.client.open(url)
      #expect(text.heard().last == .opened([OpenedURL(url, openInPlace: expected)]))
    }
  }

  @Test("R5.13 a scene gets all of them when it connects, and all together later") func scene()
    async throws
  {
    try await Testbed.run { world in
      try await world.installCoreTypes()
      let text = try await world.install("com.example.text", opening: ["public.text"], .scene())
      let urls = try ["b.txt", "a.txt"].map { try world.write(document: $0) }
      let opened = urls.map { OpenedURL($0, openInPlace: false) }
      _ = try await world.client.openDocuments(urls)
      #expect(
        text.heard() == [.started, .checkedIn(.connectionOptions(opened)), .finishing])
      _ = try await world.client.openDocuments(urls)
      #expect(text.heard() == [.opened(opened)])
    }
  }

  @Test("a handler that asks for it, or is in a sandbox, gets them as open files")
  func descriptors()
    async throws
  {
    try await Testbed.run { world in
      try await world.installCoreTypes()
      var script = HandlerScript.delegate()
      script.wantsDescriptors = true
      let text = try await world.install("com.example.text", opening: ["public.text"], script)
      let urls = [
        try world.write(document: "a.txt", "first"), try world.write(document: "b.txt", "second"),
      ]
      let fates = try await world.client.openDocuments(urls)
      #expect(fates.first?.receipt?.outcome == .deliveredCold)
      #expect(
        text.heard().last
          == .opened([
            OpenedURL(urls[0], openInPlace: false, contents: "first"),
            OpenedURL(urls[1], openInPlace: false, contents: "second"),
          ]))
      let many = try (0..<17).map { try world.write(document: "\($0).txt") }
      let refused = try await world.client.openDocuments(many)
      #expect(refused.first?.refusal?.text.contains("one message can carry at most 16") == true)
      #expect(refused.first?.refusal?.text.contains("refused") == false)
    }
  }

  @Test("a request that is repeated is not delivered again") func repeated() async throws {
    try await Testbed.run { world in
      try await world.installCoreTypes()
      let text = try await world.install("com.example.text", opening: ["public.text"])
      let image = try await world.install("com.example.image", opening: ["public.image"]) {
        $0.sdk = Profile.macOS.rawValue
      }
      let urls = try ["a.txt", "a.png"].map { try world.write(document: $0) }
      let first = try await world.client.openDocuments(urls, requestID: "once")
      let second = try await world.client.openDocuments(urls, requestID: "once")
      #expect(second.map(\.receipt?.request) == first.map(\.receipt?.request))
      #expect(second.map(\.receipt?.isRepeated) == [true, true])
      #expect(text.deliveries() == [[urls[0]]])
      #expect(image.deliveries() == [[urls[1]]])
      // Another choice, and a document that the application has moved away, change nothing.
      try await world.client.setHandler(ofDocument: urls[0], "com.example.image")
      try FileManager.default.removeItem(atPath: world.documents + "/a.png")
      let third = try await world.client.openDocuments(urls, requestID: "once")
      #expect(third.map(\.receipt?.request) == first.map(\.receipt?.request))
      #expect(text.deliveries() == [])
      #expect(image.deliveries() == [])
      await #expect(throws: Refusal.self) {
        try await world.client.openDocuments([urls[0]], requestID: "once")
      }
    }
  }

  @Test("an open of one document is answered again when the document has gone") func goneSince()
    async throws
  {
    try await Testbed.run { world in
      try await world.installCoreTypes()
      let text = try await world.install("com.example.text", opening: ["public.text"])
      let url = try world.write(document: "a.txt")
      let first = try await world.client.open(url, requestID: "once")
      try FileManager.default.removeItem(atPath: world.documents + "/a.txt")
      let second = try await world.client.open(url, requestID: "once")
      #expect(second.request == first.request && second.isRepeated)
      #expect(text.deliveries() == [[url]])
    }
  }

  @Test("what the kernel says of the daemon is handed to nobody") func kernel() async throws {
    try await Testbed.run { world in
      try world.write(document: "a.txt")
      let path = world.documents + "/m.txt"
      try FileManager.default.createSymbolicLink(
        atPath: path, withDestinationPath: "/proc/self/mem")
      var script = HandlerScript.delegate()
      script.wantsDescriptors = true
      let a = try await world.install("com.example.a", script)
      let fates = try await world.client.openDocuments(["file://" + path], with: "com.example.a")
      #expect(fates.first?.refusal?.text.contains("a part of the kernel's /proc") == true)
      #expect(a.deliveries() == [])
    }
  }

  @Test("opens of one caller keep their order, documents among URLs") func order() async throws {
    try await Testbed.run { world in
      let a = try await world.install("com.example.a", schemes: ["x", "file"])
      let url = try world.write(document: "a.txt")
      let opens = ["x:1", url, "x:2", url, "x:3"].map(world.client.opening)
      for open in opens { _ = try await open.receipt() }
      #expect(a.deliveries().flatMap(\.self) == ["x:1", url, "x:2", url, "x:3"])
    }
  }

  @Test("a FIFO keeps nobody waiting, and more than 1000 documents are refused") func odd()
    async throws
  {
    try await Testbed.run { world in
      try world.write(document: "a.txt")
      unsafe mkfifo(world.documents + "/pipe.txt", 0o600)
      let url = "file://\(world.documents)/pipe.txt"
      #expect(try await world.client.type(ofDocument: url)["type"] == .string("public.item"))
      var script = HandlerScript.delegate()
      script.wantsDescriptors = true
      try await world.install("com.example.a", script)
      let fates = try await world.client.openDocuments([url], with: "com.example.a")
      #expect(fates.first?.refusal?.text.contains("cannot be opened for the application") == true)
      await #expect(throws: Refusal.self) {
        try await world.client.openDocuments([String](repeating: url, count: 1001))
      }
    }
  }

  @Test("R3.3 an iOS application does not learn who opens what") func secrets() async throws {
    try await Testbed.run { world in
      let app = try await world.install("com.example.app", schemes: ["x"])
      try await world.install("com.example.text", opening: ["public.data"])
      let url = try world.write(document: "a.txt")
      _ = try await world.client.open("x:1")
      let explanation = try await app.explain(url)
      #expect(explanation.handler == "")
      #expect(!explanation.steps.contains { "\($0)".contains("com.example.text") })
      for question in [
        Question.handlersOfDocument(url), .handlersOfType("public.data"), .typeOfDocument(url),
      ] {
        await #expect(throws: Refusal.self, "\(question)") { try await app.texts(question) }
      }
    }
  }
}
