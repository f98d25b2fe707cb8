import LaunchRules
import Testing

/// What `open -a` finds (R7.2).
@Suite struct ApplicationNameTests {
  private func application(
    _ identifier: String, at path: String, name: String? = nil, displayName: String? = nil,
    executable: String? = nil, installedAt: Int64 = 0
  ) -> InstalledApplication {
    let bundle = path.hasSuffix(".app")
    return InstalledApplication(
      declaration: ApplicationDeclaration(
        identifier: BundleIdentifier(identifier)!, name: name, displayName: displayName,
        program: executable.map { .executable(candidates: ["\(path)/\($0)"]) }
          ?? .arguments(["/usr/bin/python3"])),
      propertyList: bundle ? path + "/Info.plist" : path,
      folder: bundle ? path : "/loose", installedAt: installedAt)
  }

  private func registry(_ applications: InstalledApplication...) -> Registry {
    var registry = Registry()
    for application in applications { registry.install(application) }
    return registry
  }

  private func found(_ name: String, _ registry: Registry) -> [String] {
    registry.applications(named: name).map(\.identifier.text)
  }

  @Test(
    "a name is that of the bundle, the application or its executable, in any case",
    arguments: ["Photos", "PHOTOS.APP", "my photos", "Bilder", "photo-tool"])
  func names(name: String) {
    let registry = registry(
      application(
        "com.a", at: "/a/Photos.app", name: "Bilder", displayName: "My Photos",
        executable: "photo-tool"),
      application("com.b", at: "/a/Notes.app", name: "Notes", executable: "notes"))
    #expect(found(name, registry) == ["com.a"])
  }

  @Test(
    "parts of names, identifiers and interpreters are none",
    arguments: ["Phot", "com.a", "python3", "", "/a/Photos.app", "app"])
  func others(name: String) {
    #expect(
      found(name, registry(application("com.a", at: "/a/Photos.app", name: "Photos"))) == [])
  }

  @Test("a desktop entry has the name of its file, and a property list with such a name has not")
  func desktopEntries() {
    var entry = application("photos.desktop", at: "/share/photos.desktop")
    entry.origin = .desktopEntry
    let list = application("com.a", at: "/loose/notes.desktop")
    #expect(found("photos", registry(entry, list)) == ["photos.desktop"])
    #expect(found("notes", registry(entry, list)) == [])
    #expect(found("nosuch", registry(entry, list)) == [])
  }

  @Test("of two with one name a system application is first") func system() {
    var system = application("com.z", at: "/a/Z.app", name: "Photos", installedAt: 1)
    system.isSystem = true
    let other = application("com.a", at: "/a/A.app", name: "Photos", installedAt: 2)
    #expect(found("photos", registry(system, other)) == ["com.z", "com.a"])
  }

  @Test("a loose property list has the name of its file")
  func loose() {
    #expect(found("photos", registry(application("com.a", at: "/loose/Photos.plist"))) == ["com.a"])
  }

  @Test("best is the name of the bundle, then of the application; else the last installed")
  func order() {
    let registry = registry(
      application("com.d", at: "/a/D.app", executable: "photos", installedAt: 9),
      application("com.c", at: "/a/C.app", name: "Photos", installedAt: 1),
      application("com.b", at: "/a/B.app", name: "Photos", installedAt: 2),
      application("com.a", at: "/a/Photos.app"))
    #expect(found("Photos", registry) == ["com.a", "com.b", "com.c", "com.d"])
  }

  @Test("of two with one name that were installed at once, the identifiers decide") func ties() {
    let all = ["com.b", "com.c", "com.a"].map {
      application($0, at: "/a/\($0).app", name: "Photos", installedAt: 5)
    }
    #expect(found("Photos", registry(all[0], all[1], all[2])) == ["com.a", "com.b", "com.c"])
  }

  @Test("a path is that of a bundle or a property list")
  func paths() {
    let registry = registry(application("com.a", at: "/a/Photos.app"))
    for path in ["/a/Photos.app", "/a/Photos.app/Info.plist"] {
      #expect(registry.applications(at: path).map(\.identifier.text) == ["com.a"])
    }
    #expect(registry.applications(at: "/a") == [])
  }

  @Test("R1.30, R1.31 the activation policy survives in a record")
  func activationPolicy() {
    for policy in [ActivationPolicy.regular, .accessory, .prohibited] {
      var application = application("com.a", at: "/a/Photos.app")
      application.declaration.activationPolicy = policy
      #expect(registry(application).applications == [application])
    }
  }
}
