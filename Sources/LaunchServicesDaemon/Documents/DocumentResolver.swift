internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules
internal import RegistryLoading

/// A document of a call, with its type.
struct ResolvedDocument {
  let url: DocumentURL
  let subject: DocumentSubject
}

/// Determines the types of documents, and opens their files. Never blocks the main thread on a file system.
final class DocumentResolver {
  private let store: RegistryStore
  private let mimeTypes: DesktopMIMETypes
  private let files = FileProbe()
  /// Maximum length of a URL, in bytes.
  private let longest: Int

  /// The default limit of libdbus for descriptors in one message.
  private static let mostFiles = 16

  init(_ store: RegistryStore, _ mimeTypes: DesktopMIMETypes, longest: Int) {
    self.store = store
    self.mimeTypes = mimeTypes
    self.longest = longest
  }

  // MARK: Types

  /// Determines the type of the file at each URL.
  /// - Parameters:
  ///   - caller: the caller whose share of the reading threads is used.
  ///   - asksForMIMETypes: false when the types are not needed.
  func look(
    at texts: [String], for caller: LoadOwner, asksForMIMETypes: Bool = true
  ) async -> [Result<ResolvedDocument, OpenFailure>] {
    let urls = texts.map(url)
    let reachable = urls.compactMap { try? $0.get() }
    var facts: [DocumentURL: Result<DocumentFacts, OpenFailure>] = [:]
    let kinds = await files.kinds(at: reachable.map(\.path), for: caller.description)
    for (url, kind) in zip(reachable, kinds) {
      facts[url] = kind.kind(of: url).map { DocumentFacts(name: url.name, kind: $0) }
    }
    if asksForMIMETypes {
      let unknown = reachable.filter { url in
        (try? facts[url]?.get()).map(store.registry.needsMIMEType) ?? false
      }
      for (url, type) in zip(unknown, await mimeTypes.ask(unknown.map(\.key))) {
        facts[url] = facts[url]?.map {
          DocumentFacts(name: $0.name, kind: $0.kind, mimeType: type)
        }
      }
    }
    let registry = store.registry
    return urls.map { url in
      url.flatMap { url in
        facts[url, default: .failure(.invalidURL(url.text))].map {
          ResolvedDocument(
            url: url, subject: DocumentSubject(registry.kind(of: $0), file: url.key))
        }
      }
    }
  }

  /// Determines the type of the file at one URL.
  func document(_ url: String, for caller: LoadOwner) async throws(BusError) -> ResolvedDocument {
    guard let found = await look(at: [url], for: caller).first else {
      preconditionFailure("there is an answer for each URL")
    }
    return try found.orBusError()
  }

  func url(_ text: String) -> Result<DocumentURL, OpenFailure> {
    do throws(OpenFailure) {
      _ = try RequestedURL(text, longest: longest)
      return .success(try DocumentURL(text))
    } catch {
      return .failure(error)
    }
  }

  /// The applications that may open a document, best first. Applications that claim the scheme `file` alone come after
  /// the claims of the type, and before the fallback handlers.
  func candidates(
    for subject: DocumentSubject
  ) -> [(identifier: BundleIdentifier, why: String)] {
    let claims = store.registry.documentCandidates(subject)
    let known = Set(claims.map(\.identifier))
    let byScheme = store.registry.candidates(for: .file).filter {
      !known.contains($0.identifier)
    }
    let why = { [registry = store.registry] (candidate: DocumentCandidate) in
      (candidate.identifier, registry.explained(candidate))
    }
    return claims.filter { !$0.isFallback }.map(why)
      + byScheme.map { ($0.identifier, "it claims the scheme file") }
      + claims.filter(\.isFallback).map(why)
  }

  // MARK: Files

  /// Opens the documents of an application that receives descriptors.
  func openFiles(
    of open: PendingOpen, _ body: @escaping (Result<[OwnedDescriptor], NotOpened>) -> Void
  ) {
    guard case .documents(let list) = open.payload else { return body(.success([])) }
    guard list.urls.count <= Self.mostFiles else {
      return body(
        .failure(
          NotOpened(
            why: "the application takes documents as file descriptors, and one message"
              + " can carry at most \(Self.mostFiles)")))
    }
    Task { body(await descriptors(of: list, for: open.usage.share)) }
  }

  /// Closes its own descriptors before it returns, because the message duplicates them.
  private func descriptors(
    of list: DocumentList, for caller: LoadOwner
  ) async -> Result<[OwnedDescriptor], NotOpened> {
    let files = await files.open(list.urls.map(\.path), for: caller.description)
    var opened: [OwnedDescriptor] = []
    for (file, url) in zip(files, list.urls) {
      do throws(Unopened) {
        opened.append(OwnedDescriptor(adopting: try file.get().copy()))
      } catch {
        return .failure(
          NotOpened(why: "\(url.visiblePath) cannot be opened for the application: \(error)"))
      }
    }
    return .success(opened)
  }
}

/// The reason why documents cannot be passed as descriptors.
struct NotOpened: Error {
  let why: String
}

nonisolated extension FileKind {
  fileprivate func kind(of url: DocumentURL) -> Result<DocumentFacts.Kind, OpenFailure> {
    switch self {
    case .file(let isExecutable): .success(.file(isExecutable: isExecutable))
    case .folder: .success(.folder)
    case .special: .success(.special)
    case .unreachable(.errno(.noSuchFile)), .unreachable(.errno(.notAFolder)):
      .failure(.noSuchFile("The file \(url.visiblePath) does not exist."))
    case .unreachable(let why):
      .failure(.documentUnreachable("The file \(url.visiblePath) cannot be reached: \(why)"))
    }
  }
}
