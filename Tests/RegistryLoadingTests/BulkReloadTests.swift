import Dispatch
import Host
import LaunchRules
import Synchronization
import Testing

@testable import RegistryLoading

@Suite("A bulk reload", .timeLimit(.minutes(30))) struct BulkReloadTests {
  private let loaded = LoadedRegistry(
    Registry(), Journal(program: "tests", environment: [:], descriptor: -1))

  private func record(_ name: String, _ schemes: [String]) -> ApplicationRecord {
    let declaration = ApplicationDeclaration(
      identifier: id("com.example.\(name)"), version: BundleVersion("1"),
      urlTypes: [URLTypeDeclaration(schemes: schemes.map(scheme))])
    let path = "/apps/\(name).plist"
    return ApplicationRecord(
      InstalledApplication(
        declaration: declaration, propertyList: path, folder: "/apps", isSystem: false,
        installedAt: 0, stamp: ""))
  }

  private func records(_ scheme: String) -> [ApplicationRecord] {
    (0..<100).map { record("app\($0)", [scheme]) }
  }

  /// They are no files, and remembered because they are registered.
  private func take(_ records: [ApplicationRecord]) {
    loaded.take(records, registered: records.map(\.propertyList))
  }

  private func handlers(_ text: String) -> Set<String> {
    Set(loaded.registry.candidates(for: scheme(text)).map(\.identifier.text))
  }

  /// Begins a reload that reads these, and does something while it is under way.
  private func reload(_ records: [ApplicationRecord], meanwhile: () -> Void) async {
    let base = loaded.beginReload()
    meanwhile()
    await loaded.finish(
      BulkReload(
        read: records, counts: { _ in true }, registered: Set(records.map(\.propertyList))), base)
  }

  @Test("answers from what was before until it is done, and keeps the changes made meanwhile")
  func replayed() async {
    take(records("old"))
    await reload(records("new")) {
      #expect(handlers("old").count == 100)
      loaded.change { $0.bind(scheme("new"), to: id("com.example.app7")) }
      take([record("late", ["new", "late"])])
      loaded.forget(["/apps/app9.plist"])
      #expect(handlers("old").count == 99)
      #expect(handlers("new") == ["com.example.late"])
      #expect(loaded.registry.bindings == [scheme("new"): id("com.example.app7")])
    }
    #expect(handlers("old") == [])
    #expect(handlers("new").count == 100)
    #expect(!handlers("new").contains("com.example.app9"))
    #expect(handlers("late") == ["com.example.late"])
    #expect(loaded.registry.bindings == [scheme("new"): id("com.example.app7")])
    #expect(loaded.records["/apps/late.plist"] != nil)
    #expect(loaded.records["/apps/app9.plist"] == nil)
    #expect(loaded.records.count == 100)
  }

  @Test("is made away from the main actor, where questions are answered meanwhile")
  func elsewhere() async {
    let onMain = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: onMain, value: true)
    #expect(DispatchQueue.getSpecific(key: onMain) == true)
    let wasOnMainActor = Mutex<[Bool]>([])
    let base = loaded.beginReload()
    await loaded.finish(
      BulkReload(
        read: [record("app", ["x"])],
        counts: { _ in
          wasOnMainActor.withLock { $0.append(DispatchQueue.getSpecific(key: onMain) == true) }
          return true
        }, registered: ["/apps/app.plist"]), base)
    #expect(wasOnMainActor.withLock { $0 } == [false])
    #expect(handlers("x") == ["com.example.app"])
  }

  @Test("is told once, with a generation of its own, when it is there") func told() async {
    var told: [(change: RegistryChange, generation: UInt64)] = []
    loaded.onChange = { [loaded] in told.append(($0, loaded.registry.generation)) }
    let generation = loaded.registry.generation
    await reload(records("new")) { #expect(told.isEmpty) }
    #expect(told.count == 1)
    #expect(told.first?.change.changesRegistry == true)
    #expect(told.first?.change.applications == nil)
    #expect(told.first?.generation == generation + 1)
  }

  @Test("that reads what was there before changes nothing") func same() async {
    take(records("x"))
    let generation = loaded.registry.generation
    var count = 0
    loaded.onChange = { _ in count += 1 }
    await reload(records("x")) {}
    #expect(count == 0)
    #expect(loaded.registry.generation == generation)
  }
}
