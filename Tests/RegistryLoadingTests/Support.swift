import ApplicationFolders
import Foundation
import Host
import LaunchRules
import Testing

@testable import RegistryLoading

/// Events that a test waits for, in their order.
final class EventStream<Value: Sendable> {
  private let stream: AsyncStream<Value>
  private let continuation: AsyncStream<Value>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream(of: Value.self) }

  func add(_ value: Value) { continuation.yield(value) }

  func next() async throws -> Value {
    var iterator = stream.makeAsyncIterator()
    return try #require(await iterator.next())
  }
}

/// A folder of applications, a loader that keeps a registry of them, and what the user asked of it. Each test has
/// its own; it is removed at the end.
final class LoaderWorld {
  let path: String
  /// As it was stored last.
  private(set) var state = RegistryState()
  /// Instead of storing anything.
  var storeError: FileError?
  private(set) var loaded: LoadedRegistry
  private(set) var loader: RegistryLoader!
  private(set) var choices: RegistryChoices!
  private var changes = EventStream<RegistryChange>()
  private let journal = Journal(program: "registry-loading-tests", environment: [:], descriptor: -1)

  init() throws {
    let made = NSTemporaryDirectory() + "/registry-tests-" + UUID().uuidString
    for name in ["Applications", "Elsewhere"] {
      try FileManager.default.createDirectory(
        atPath: made + "/" + name, withIntermediateDirectories: true)
    }
    path = try #require(realPath(made))
    loaded = LoadedRegistry(Registry(), journal)
    makeLoader()
  }

  isolated deinit { try? FileManager.default.removeItem(atPath: path) }

  var registry: Registry { loaded.registry }
  var cache: RecordCache { RecordCache(path: path + "/cache", program: "tests") }

  /// - Parameter limit: how many applications may be registered.
  func makeLoader(limit: Int = 100) {
    choices = RegistryChoices(state, limit: limit) { [weak self] (state, _) throws(FileError) in
      if let error = self?.storeError { throw error }
      self?.state = state
    }
    var registry = Registry()
    choices.bind(in: &registry)
    loaded = LoadedRegistry(registry, journal)
    changes = EventStream()
    loaded.onChange = { [changes] in changes.add($0) }
    loader = RegistryLoader(
      loaded, choices, folders: [ApplicationFolder(path + "/Applications")], cache: cache,
      lookInterval: 1_000_000, journal)
  }

  /// The daemon ends, and another one starts.
  func restart(limit: Int = 100) async {
    loader.stop()
    makeLoader(limit: limit)
    await loader.start()
  }

  /// Returns after the change with which it becomes true.
  func wait(until isTrue: (Registry) -> Bool) async throws {
    while !isTrue(registry) { _ = try await changes.next() }
  }

  func name(of identifier: String) -> String? {
    BundleIdentifier(identifier).flatMap(registry.application)?.declaration.name
  }

  // MARK: Files

  static func propertyList(_ identifier: String, _ name: String, schemes: [String] = []) -> String {
    let claims = schemes.map { "<string>\($0)</string>" }.joined()
    return """
      <plist version="1.0"><dict>
      <key>CFBundleIdentifier</key><string>\(identifier)</string>
      <key>CFBundleName</key><string>\(name)</string>
      <key>ProgramArguments</key><array><string>/usr/bin/true</string></array>
      <key>CFBundleURLTypes</key><array><dict>
      <key>CFBundleURLSchemes</key><array>\(claims)</array></dict></array>
      </dict></plist>
      """
  }

  /// Puts a file to its place at once, as one who installs does.
  /// - Returns: its path.
  @discardableResult func write(_ text: String, to name: String) throws -> String {
    let place = path + "/" + name
    let unfinished = path + "/unfinished"
    try Data(text.utf8).write(to: URL(filePath: unfinished))
    guard unsafe rename(unfinished, place) == 0 else { throw CocoaError(.fileWriteUnknown) }
    return place
  }

  /// - Parameter place: of the property list, below the test's folder.
  @discardableResult func install(
    _ identifier: String, _ name: String = "One", schemes: [String] = [], at place: String
  ) throws -> String {
    try write(Self.propertyList(identifier, name, schemes: schemes), to: place)
  }

  /// Makes a whole bundle and moves it to its place.
  func installBundle(_ identifier: String, _ name: String, inner: String, at place: String) throws {
    let files = FileManager.default
    let bundle = path + "/unfinished.app"
    let list = bundle + "/" + inner
    try files.createDirectory(
      atPath: list.parentFolder, withIntermediateDirectories: true)
    try Data(Self.propertyList(identifier, name).utf8).write(to: URL(filePath: list))
    try files.moveItem(atPath: bundle, toPath: path + "/" + place)
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: path + "/" + name)
  }

  func register(
    _ path: String, _ definitions: [String: String] = [:]
  ) async throws -> InstalledApplication {
    try loader.register(
      await PropertyListReader().read(path, definitions), definitions: definitions
    ).application
  }
}

/// What was refused, in short.
extension RegistryRefusal {
  var kind: String {
    switch self {
    case .invalidBundle: "invalid bundle"
    case .notRegistered: "not registered"
    case .notPermitted: "not permitted"
    case .notStored: "not stored"
    case .limitExceeded: "limit exceeded"
    }
  }
}

func refusal(_ body: () async throws -> Void) async -> String? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? RegistryRefusal)?.kind ?? "\(error)"
  }
}

nonisolated func id(_ text: String) -> BundleIdentifier {
  guard let identifier = BundleIdentifier(text) else {
    preconditionFailure("no identifier: \(text)")
  }
  return identifier
}

nonisolated func scheme(_ text: String) -> URLScheme {
  guard let scheme = URLScheme(text) else { preconditionFailure("no scheme: \(text)") }
  return scheme
}
