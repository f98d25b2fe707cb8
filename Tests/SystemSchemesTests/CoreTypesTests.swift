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
