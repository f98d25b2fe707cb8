import SeededRandom
import Testing

@testable import LaunchRules

@Suite struct `A record of an application` {
  private static func everything() -> InstalledApplication {
    let type = URLTypeDeclaration(
      name: "name", role: .none, rank: .alternate,
      schemes: [Sample.scheme("x"), Sample.scheme("y")], spellings: ["X", ""],
      iconFile: "icon", desktopOrder: 300)
    var declaration = ApplicationDeclaration(
      identifier: Sample.id("com.Example.All"), name: "", displayName: "Größe",
      version: BundleVersion(1, .max, 3), marketingVersion: "1.0",
      program: .executable(candidates: ["/apps/all.app/Contents/Linux/all", "/other"]),
      urlTypes: [type, URLTypeDeclaration(schemes: [])], queriesSchemes: ["q", "", "NOT A SCHEME"],
      platform: .macOS, linkedSDK: LinkedSDK(26, .max), usesScenes: true,
      environment: ["A": "1", "B": ""], prohibitsMultipleInstances: true, exitsOnSuspend: true,
      shortcutItems: [
        QuickAction(
          type: "t", title: "T", subtitle: nil, icon: "i",
          userInfo: [
            "a": .string("ä"), "b": .boolean(true), "c": .integer(-7), "d": .double(-0.5),
            "g": .data([0, 127, 128, 255]), "h": .data([]),
            "e": .list([.integer(.max), .list([]), .boolean(false)]),
            "f": .dictionary(["": .dictionary([:]), "x": .string("")]),
          ]), QuickAction(type: "u", title: "U"),
      ],
      launchImageName: "Image", isDBusActivatable: true, isFallbackHandler: true, iconFile: nil,
      team: "TEAM", webHosts: ["a.example"].compactMap(WebHost.init),
      entitlements: [.webBrowser, .callingApp], userActivityTypes: ["com.example.reading", ""],
      documents: DocumentDeclarations(
        types: [
          DocumentTypeDeclaration(
            name: "N", role: .shell, rank: .owner, contentTypes: [.plainText, .data]),
          DocumentTypeDeclaration(
            tags: [.fileExtension("ü"), .mimeType("a/b"), .osType("TEXT")], isPackage: true),
        ],
        exported: [
          TypeDeclaration(
            .package, conformsTo: [.directory], tags: [.osType("????")], description: "")
        ], imported: [TypeDeclaration(.item)], opensInPlace: true),
      associatedDomains: ["a.example", "b.example"].compactMap(WebHost.init).flatMap {
        [AssociatedDomain($0), AssociatedDomain($0, coversSubdomains: true, mode: .developer)]
      })
    declaration.dropsURLs = true
    declaration.dropsDocuments = true
    declaration.isTerminal = true
    return InstalledApplication(
      declaration: declaration, propertyList: "/apps/all.app/Contents/Info.plist",
      folder: "/apps/all.app", isSystem: true, installedAt: -1, stamp: "1.2.3",
      origin: .desktopEntry)
  }

  @Test("every beginning of a record can be read") func beginnings() {
    let bytes = ApplicationRecord(Self.everything()).bytes
    for count in 0..<bytes.count {
      let record = ApplicationRecord(bytes: Array(bytes.prefix(count)))
      #expect(record.propertyList.utf8.count <= count)
      _ = (record.identifier, record.claims, record.application)
    }
  }

  @Test(
    "values within as many dictionaries and arrays as a property list may have",
    arguments: [true, false])
  func nested(_ isDictionary: Bool) {
    func value(_ depth: Int) -> PlainValue {
      (0..<depth).reduce(PlainValue.integer(1)) { inner, _ in
        isDictionary ? .dictionary(["a": inner]) : .list([inner])
      }
    }
    func kept(_ value: PlainValue) -> PlainValue? {
      var application = Sample.app("a")
      application.declaration.shortcutItems = [
        QuickAction(type: "t", title: "T", userInfo: ["a": value])
      ]
      return ApplicationRecord(application).application?.declaration.shortcutItems.first?
        .userInfo["a"]
    }
    // The user info is the first dictionary.
    let deepest = PlainValue.deepest - 1
    #expect(kept(value(deepest)) == value(deepest))
    #expect(kept(value(deepest + 1)) != value(deepest + 1))
  }

  @Test("gives back every field", arguments: [everything(), Sample.app("a", claims: ["x"])])
  func roundTrip(_ application: InstalledApplication) {
    let record = ApplicationRecord(application)
    #expect(record.application == application)
    #expect(record.application?.identifier.text == application.identifier.text)
    #expect(record.propertyList == application.propertyList)
    #expect(record.claims == application.declaration.urlTypes.flatMap(\.schemes))
    #expect(record.associatedDomains == application.declaration.associatedDomains)
    #expect(record.isSystem == application.isSystem)
  }

  @Test("an application that says nothing about documents pays nothing for them") func noDocuments()
  {
    let application = Sample.app("a", claims: ["x"])
    var other = application
    other.declaration.documents.opensInPlace = true
    let (bytes, others) = (ApplicationRecord(application).bytes, ApplicationRecord(other).bytes)
    #expect(others.count - bytes.count == 4)
  }

  @Test("keeps what its reader adds, which makes no difference") func supplement() {
    let application = Self.everything()
    let record = ApplicationRecord(propertyList: application.propertyList, application) {
      $0.write("note")
    }
    var supplement = record.supplement
    #expect(supplement.text() == "note")
    #expect(supplement.text() == nil)
    #expect(record == ApplicationRecord(application))
  }

  @Test("may hold no application") func none() {
    let record = ApplicationRecord(propertyList: "/p", nil)
    #expect(record.propertyList == "/p")
    #expect(!record.hasApplication)
    #expect(record.application == nil)
    #expect(record.claims == [])
  }

  @Test("reads as something, whatever its bytes are", arguments: 0..<200 as Range<UInt64>)
  func anyBytes(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var bytes = ApplicationRecord(Self.everything()).bytes
    for _ in 0..<3 {
      bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
    }
    bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random) / 2)
    let record = ApplicationRecord(bytes: bytes)
    _ = (record.application, record.claims, record.propertyList, record == record)
    var supplement = record.supplement
    _ = (supplement.texts(), supplement.text(after: "/a/b"))
  }

  @Test("a number up to 127 is one byte") func bytes() {
    func bytes(_ number: UInt64) -> [UInt8] {
      var writer = RecordWriter()
      writer.write(number)
      return writer.bytes
    }
    #expect(bytes(0) == [0])
    #expect(bytes(127) == [127])
    #expect(bytes(128) == [0x80, 1])
  }

  @Test("a record that ends within a number has no application") func cutNumber() {
    let head = ApplicationRecord(Self.everything()).bytes.prefix(4)
    for length in 1...4 {
      let bytes = Array(head) + Array(repeating: UInt8(0xff), count: length)
      let record = ApplicationRecord(bytes: bytes)
      #expect(record.propertyList == "" && !record.hasApplication)
    }
  }
}
