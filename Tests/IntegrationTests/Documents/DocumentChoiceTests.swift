import DBus
import Foundation
import LaunchServicesTesting
import Testing

@MainActor
@Suite("Types and choices of documents", .timeLimit(.minutes(30)))
struct DocumentChoiceTests {
  @Test("R6.2 R6.3 a file's handlers are those of its type, best first") func handlers()
    async throws
  {
    try await Testbed.run { world in
      try await world.installCoreTypes()
      try await world.install("com.example.text", opening: ["public.text"])
      try await world.install("com.example.owner", opening: ["public.text"], rank: "Owner")
      try await world.install("com.example.code", opening: ["public.swift-source"])
      try await world.install("com.example.none", opening: ["public.text"], rank: "None")
      let swift = try world.write(document: "a.swift")
      let all = ["com.example.code", "com.example.owner", "com.example.text"]
      #expect(try await world.client.handlers(ofDocument: swift) == all)
      #expect(try await world.client.handlers(ofType: "PUBLIC.Swift-Source") == all)
      #expect(try await world.client.handlers(ofType: "public.png") == [])
      #expect(
        try await world.client.type(ofDocument: swift)
          == [
            "type": .string("public.swift-source"), "description": .string("Swift source"),
            "why": .string("the extension swift, as org.launchservices.system.CoreTypes declares"),
            "conforms-to": .strings([
              "public.source-code", "public.plain-text", "public.text", "public.data",
              "public.content", "public.item",
            ]),
          ])
      await #expect(throws: Refusal.self) { try await world.client.handlers(ofType: "png") }
      await #expect(throws: Refusal.self) {
        try await world.client.handlers(ofDocument: "file:///missing")
      }
    }
  }

  @Test("R2.16 R6.5 choices for a type and for a file count, and outlive the daemon") func choices()
    async throws
  {
    try await Testbed.run { world in
      try await world.installCoreTypes()
      try await world.install("com.example.a", opening: ["public.plain-text"], rank: "Owner")
      try await world.install("com.example.b", opening: ["public.text"])
      try await world.install("com.example.c", opening: ["public.data"])
      let (one, two) = (try world.write(document: "1.txt"), try world.write(document: "2.txt"))
      try await world.client.setDefaultHandler(ofType: "public.plain-text", "com.example.b")
      try await world.client.setHandler(ofDocument: two, "com.example.c")
      for _ in 0..<2 {
        let fates = try await world.client.openDocuments([one, two])
        #expect(fates.map(\.receipt?.handler) == ["com.example.b", "com.example.c"])
        try await world.restartDaemon()
      }
      try FileManager.default.removeItem(atPath: world.documents + "/2.txt")
      try await world.client.setHandler(ofDocument: two, "")
      try world.write(document: "2.txt")
      try await world.client.setDefaultHandler(ofType: "public.plain-text", "")
      #expect(try await world.client.handlers(ofDocument: two).first == "com.example.a")
      await #expect(throws: Refusal("NotRegistered", "no application com.example.x is registered"))
      {
        try await world.client.setDefaultHandler(ofType: "public.png", "com.example.x")
      }
    }
  }

  @Test("R2.17 only an application of macOS is chosen for what it does not claim") func unclaimed()
    async throws
  {
    try await Testbed.run { world in
      try await world.installCoreTypes()
      try await world.install("com.example.png", opening: ["public.png"])
      try await world.install("com.example.mac", opening: ["public.png"]) {
        $0.sdk = Profile.macOS.rawValue
      }
      let text = try world.write(document: "a.txt")
      let refusal = Refusal(
        "NotPermitted",
        "com.example.png claims neither the type public.plain-text nor one that it conforms to; only"
          + " a macOS application may be chosen without a claim (R2.17)")
      await #expect(throws: refusal) {
        try await world.client.setDefaultHandler(ofType: "public.plain-text", "com.example.png")
      }
      await #expect(throws: refusal) {
        try await world.client.setHandler(ofDocument: text, "com.example.png")
      }
      #expect(try await world.client.handlers(ofDocument: text) == [])
      try await world.client.setDefaultHandler(ofType: "public.plain-text", "com.example.mac")
      #expect(try await world.client.handlers(ofDocument: text) == ["com.example.mac"])
    }
  }

  @Test("R1.21 a custom type by its extension, R1.16 packages, R1.24 unknown extensions")
  func types() async throws {
    try await Testbed.run { world in
      try await world.installCoreTypes()
      let app = try await world.install("com.example.draw") {
        $0.otherKeys["UTExportedTypeDeclarations"] = [
          [
            "UTTypeIdentifier": "com.example.drawing", "UTTypeConformsTo": "com.apple.package",
            "UTTypeTagSpecification": ["public.filename-extension": "drawing"],
          ]
        ]
        $0.otherKeys["CFBundleDocumentTypes"] = [
          ["LSItemContentTypes": ["com.example.drawing"]],
          ["CFBundleTypeExtensions": ["odd"]],
        ]
      }
      try world.write(document: "My.drawing/contents.txt")
      let package = "file://\(world.documents)/My.drawing"
      let odd = try world.write(document: "a.ODD")
      let folder = "file://\(world.documents)"
      #expect(
        try await world.client.type(ofDocument: package)["type"] == .string("com.example.drawing"))
      #expect(try await world.client.type(ofDocument: folder)["type"] == .string("public.folder"))
      #expect(
        try await world.client.type(ofDocument: odd)["type"]?.asString?.hasPrefix("dyn.") == true)
      let fates = try await world.client.openDocuments([package, odd, folder])
      #expect(fates.map(\.documents) == [[package, odd], [folder]])
      #expect(app.deliveries() == [[package, odd]])
    }
  }

  @Test("Explain tells the type, the candidates and what would happen") func explain() async throws
  {
    try await Testbed.run { world in
      try await world.installCoreTypes()
      try await world.install("com.example.text", opening: ["public.text"])
      let url = try world.write(document: "a.md")
      let explanation = try await world.client.explain(url)
      #expect(explanation.handler == "com.example.text")
      #expect(
        explanation.sentence(of: "type")
          == "net.daringfireball.markdown (the extension md, as"
          + " org.launchservices.system.CoreTypes declares)")
      #expect(
        explanation.sentence(of: "candidate")
          == "com.example.text: the only claim; it claims public.text")
      #expect(explanation.sentence(of: "openInPlace")?.hasPrefix("false") == true)
    }
  }
}
