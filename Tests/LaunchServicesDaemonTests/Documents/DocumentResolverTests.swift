import BusContract
import Foundation
import LaunchRules
import Records
import Testing

@testable import LaunchServicesDaemon

@MainActor @Suite("What documents are", .timeLimit(.minutes(30)))
struct DocumentResolverTests {
  /// A claim of plain text, and how it is known.
  static let claim = """
    <key>UTImportedTypeDeclarations</key><array><dict>
    <key>UTTypeIdentifier</key><string>public.plain-text</string>
    <key>UTTypeTagSpecification</key><dict>
    <key>public.filename-extension</key><array><string>txt</string></array></dict>
    </dict></array>
    <key>CFBundleDocumentTypes</key><array><dict>
    <key>LSItemContentTypes</key><array><string>public.plain-text</string></array>
    </dict></array>
    """

  @Test("A file, a folder, a file that is not there and a URL of no file are told apart")
  func kinds() async throws {
    let world = try await DaemonWorld(keys: Self.claim)
    let documents = world.registry.documents
    let path = world.folder + "/a.txt"
    try "text".write(toFile: path, atomically: true, encoding: .utf8)
    let found = await documents.look(
      at: [
        "file://\(path)", "file://\(world.folder)", "file://\(path)2", "photos:1", "file:///%00",
      ],
      for: .unit("tests"))
    #expect(
      found.map(Self.text) == [
        "public.plain-text", "public.folder", "NoSuchFile", "InvalidURL", "InvalidURL",
      ])
    // Each has the answer to its own URL, in the order of the URLs.
    let again = await documents.look(
      at: ["file://\(path)2", "file://\(path)", "file://\(path)2"], for: .unit("tests"))
    #expect(again.map(Self.text) == ["NoSuchFile", "public.plain-text", "NoSuchFile"])
  }

  @Test("Claims of the type go before the scheme file; each candidate has its reason")
  func candidates() async throws {
    let world = try await DaemonWorld(keys: Self.claim)
    try world.install("viewer", schemes: ["file"])
    await world.registry.store.reload()
    let path = world.folder + "/a.txt"
    try "text".write(toFile: path, atomically: true, encoding: .utf8)
    let document = try await world.registry.documents.document(
      "file://" + path, for: .unit("tests"))
    let candidates = world.registry.documents.candidates(for: document.subject)
    #expect(
      candidates.map(\.identifier.text) == ["com.example.photos", "com.example.viewer"])
    #expect(candidates.last?.why == "it claims the scheme file")
  }

  @Test("Documents are opened for reading; one that cannot be opened, or too many, are not")
  func openFiles() async throws {
    let world = try await DaemonWorld()
    let path = world.folder + "/a.txt"
    try "text".write(toFile: path, atomically: true, encoding: .utf8)
    let files = try await world.opened(["file://" + path])
    #expect(files == "1 files")
    #expect(
      try await world.opened(["file://" + path, "file://\(path)2"])
        .hasPrefix("\(path)2 cannot be opened for the application: "))
    #expect(
      try await world.opened(Array(repeating: "file://" + path, count: 17))
        == "the application takes documents as file descriptors, and one message can carry at most 16"
    )
  }

  private static func text(_ found: Result<ResolvedDocument, OpenFailure>) -> String {
    switch found {
    case .success(let document): document.subject.kind.type.text
    case .failure(let failure): failure.name
    }
  }
}

extension DaemonWorld {
  /// Puts one more property list into the application folder.
  func install(_ name: String, schemes: [String] = [], keys: String = "") throws {
    let claims = schemes.map { "<string>\($0)</string>" }.joined()
    try """
    <plist version="1.0"><dict>
    <key>CFBundleIdentifier</key><string>com.example.\(name)</string>
    <key>ProgramArguments</key><array><string>/usr/bin/true</string></array>
    <key>CFBundleURLTypes</key><array><dict>
    <key>CFBundleURLSchemes</key><array>\(claims)</array></dict></array>\(keys)
    </dict></plist>
    """.write(
      toFile: folder + "/Applications/\(name).plist", atomically: true, encoding: .utf8)
  }

  /// Opens the files of documents, as for a delivery.
  func opened(_ urls: [String]) async throws -> String {
    let documents = DocumentList(
      urls: try urls.map { url throws(OpenFailure) in try DocumentURL(url) },
      areUsedInPlace: false)
    let application = try #require(registry.store.registry.application(Self.photos))
    let open = PendingOpen(
      payload: .documents(documents), receiver: .application(application), options: OpenOptions(),
      source: nil,
      reply: reply("documents"), share: .unit("tests"),
      entry: RequestEntry(
        number: 1, time: 0, caller: "tests", subject: urls[0], handler: application.identifier.text),
      isRepeated: false)
    return await withCheckedContinuation { continuation in
      registry.documents.openFiles(of: open) {
        switch $0 {
        case .success(let files): continuation.resume(returning: "\(files.count) files")
        case .failure(let refusal): continuation.resume(returning: refusal.why)
        }
      }
    }
  }
}
