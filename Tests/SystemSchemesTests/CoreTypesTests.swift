import ApplicationFolders
import LaunchRules
import Testing

/// The types that come with Launch Services, compared with those of a Mac.
@Suite("Core types") struct CoreTypesTests {
  private let registry: Registry

  init() throws {
    let path = `The system applications`.folder + "/CoreTypes.plist"
    let application = try #require(ApplicationReading(of: path, isSystem: true).application)
    var registry = Registry(policy: .lastInstalled)
    registry.change(removing: [], installing: [ApplicationRecord(application)])
    self.registry = registry
  }

  @Test(
    "Y2: files have the types of a Mac",
    arguments: [
      ("a.p12", "com.rsa.pkcs-12"), ("a.strings", "com.apple.xcode.strings-text"),
      ("a.log", "com.apple.log"), ("a.eml", "com.apple.mail.email"),
      ("a.exe", "com.microsoft.windows-executable"), ("a.scpt", "com.apple.applescript.script"),
      ("a.webarchive", "com.apple.webarchive"), ("a.rtfd", "com.apple.flat-rtfd"),
      ("a.usd", "com.pixar.universal-scene-description"),
      ("a.usdz", "com.pixar.universal-scene-description-mobile"), ("a.3g2", "public.3gpp2"),
      ("a.exr", "com.ilm.openexr-image"), ("a.webloc", "com.apple.web-internet-location"),
      ("a.aar", "com.apple.archive"), ("a.csv", "public.comma-separated-values-text"),
      ("a.asf", "com.microsoft.advanced-systems-format"),
      ("a.mts", "public.avchd-mpeg-2-transport-stream"),
      ("a.m2ts", "public.avchd-mpeg-2-transport-stream"),
      ("a.ts", "public.mpeg-2-transport-stream"),
      ("a.usda", "com.pixar.universal-scene-description-utf8"),
      ("a.usdc", "com.pixar.universal-scene-description"),
      ("a.command", "com.apple.terminal.shell-script"),
      ("a.tool", "com.apple.terminal.shell-script"), ("a.sh", "public.shell-script"),
      ("a.img", "com.apple.disk-image-udif"), ("a.make", "public.make-source"),
      ("a.svgz", "public.svg-image"), ("a.tsx", "com.microsoft.typescript"),
    ])
  func files(_ name: String, _ type: String) {
    let kind = registry.kind(of: DocumentFacts(name: name, kind: .file(isExecutable: false)))
    #expect(kind.type.text == type)
  }

  @Test(
    "Y2: packages have the types of a Mac",
    arguments: [
      ("a.xpc", "com.apple.xpc-service"), ("a.prefPane", "com.apple.systempreference.prefpane"),
      ("a.playground", "com.apple.dt.playground"), ("a.kext", "com.apple.kernel-extension"),
      ("a.photoslibrary", "com.apple.photos.library"), ("a.rtfd", "com.apple.rtfd"),
    ])
  func packages(_ name: String, _ type: String) throws {
    let kind = registry.kind(of: DocumentFacts(name: name, kind: .folder))
    #expect(kind.type.text == type)
    #expect(registry.types.conforms(kind.type, to: .package))
  }

  @Test(
    "Y2: types conform to what they conform to on a Mac",
    arguments: [
      ("public.comma-separated-values-text", "public.plain-text"),
      ("public.tab-separated-values-text", "public.plain-text"),
      ("public.m3u-playlist", "public.plain-text"), ("com.sun.java-class", "public.executable"),
      ("com.sun.java-archive", "public.executable"), ("com.apple.m4v-video", "public.mpeg-4"),
      ("public.zip-archive", "com.pkware.zip-archive"), ("com.sun.java-archive", "public.archive"),
      ("public.tar-archive", "org.gnu.gnu-tar-archive"),
      ("public.aiff-audio", "public.aifc-audio"), ("public.symlink", "com.apple.resolvable"),
      ("public.truetype-ttf-font", "public.truetype-font"),
      ("public.truetype-collection-font", "public.font"),
      ("com.netscape.javascript-source", "public.script"),
      ("com.netscape.javascript-source", "public.executable"),
      ("com.apple.generic-bundle", "com.apple.package"),
      ("com.apple.application-bundle", "com.apple.localizable-name-bundle"),
      ("com.apple.log", "public.plain-text"), ("com.apple.mail.email", "public.message"),
      ("public.fortran-77-source", "public.fortran-source"),
    ])
  func conformance(_ type: String, _ other: String) throws {
    #expect(
      registry.types.conforms(
        try #require(TypeIdentifier(type)), to: try #require(TypeIdentifier(other))))
  }

  @Test("Y2: all types that a type conforms to are those of a Mac", arguments: macTypes)
  func ancestors(_ type: String, _ others: String) throws {
    let levels = registry.types.levels(of: try #require(TypeIdentifier(type)))
    let expected = others.split(separator: " ").map(String.init).flatMap { Self.groups[$0] ?? [$0] }
    #expect(levels.dropFirst().flatMap { $0.map(\.text) }.sorted() == expected.sorted())
  }

  /// Types with all types that they conform to. A word of `groups` stands for its types.
  private static let macTypes: [(String, String)] = [
    ("com.microsoft.typescript", "script"),
    ("com.netscape.javascript-source", "script public.executable"),
    ("com.adobe.postscript", "compound"),
    ("com.adobe.encapsulated-postscript", "compound com.adobe.postscript"),
    ("public.heif-standard", "image"), ("public.heif", "image public.heif-standard"),
    ("public.heic", "image public.heif-standard"), ("public.avif", "image public.heif-standard"),
    ("com.microsoft.advanced-systems-format", "content public.audiovisual-content"),
    ("com.microsoft.windows-media-wmv", "movie com.microsoft.advanced-systems-format"),
    ("public.avchd-mpeg-2-transport-stream", "movie public.mpeg-2-transport-stream"),
    ("com.apple.disk-image", "archive public.disk-image"),
    ("public.iso-image", "archive public.disk-image com.apple.disk-image"),
    ("com.apple.disk-image-udif", "archive public.disk-image com.apple.disk-image"),
    ("org.tukaani.tar-xz-archive", "archive"), ("com.microsoft.word.doc", "data"),
    ("com.microsoft.excel.xls", "compound public.spreadsheet"),
    ("com.microsoft.powerpoint.ppt", "compound public.presentation"),
    ("org.openxmlformats.openxml", "data"),
    ("org.openxmlformats.wordprocessingml.document", "compound org.openxmlformats.openxml"),
    (
      "org.openxmlformats.spreadsheetml.sheet",
      "compound org.openxmlformats.openxml public.spreadsheet"
    ),
    (
      "org.openxmlformats.presentationml.presentation",
      "compound org.openxmlformats.openxml public.presentation"
    ), ("org.oasis-open.opendocument", "data"),
    ("org.oasis-open.opendocument.text", "compound org.oasis-open.opendocument"),
    (
      "org.oasis-open.opendocument.spreadsheet",
      "compound org.oasis-open.opendocument public.spreadsheet"
    ),
    (
      "org.oasis-open.opendocument.presentation",
      "compound org.oasis-open.opendocument public.presentation"
    ), ("org.oasis-open.opendocument.graphics", "compound org.oasis-open.opendocument"),
    ("com.apple.mail.email", "data public.email-message public.message"),
    ("com.apple.ical.ics", "text public.calendar-event"),
    ("public.vcard", "text public.contact"),
    ("public.m3u-playlist", "text public.plain-text public.playlist"), ("public.database", ""),
    (
      "com.pixar.universal-scene-description-utf8",
      "text public.plain-text public.utf8-plain-text public.3d-content"
        + " com.pixar.universal-scene-description"
    ),
  ]

  private static let groups: [String: [String]] = [
    "data": ["public.data", "public.item"],
    "content": ["public.data", "public.item", "public.content"],
    "compound": ["public.data", "public.item", "public.content", "public.composite-content"],
    "text": ["public.data", "public.item", "public.content", "public.text"],
    "script": [
      "public.data", "public.item", "public.content", "public.text", "public.plain-text",
      "public.source-code", "public.script",
    ], "image": ["public.data", "public.item", "public.content", "public.image"],
    "movie": [
      "public.data", "public.item", "public.content", "public.audiovisual-content", "public.movie",
    ], "archive": ["public.data", "public.item", "public.archive"],
  ]

  @Test("every type rests on others that are declared") func complete() throws {
    let identifier = try #require(BundleIdentifier("org.launchservices.system.CoreTypes"))
    let declared = try #require(registry.application(identifier)).declaration.documents.exported
    #expect(declared.count > 200)
    for type in declared {
      for parent in type.conformsTo {
        #expect(registry.types.isKnown(parent), "\(type.identifier) conforms to \(parent)")
      }
    }
  }
}
