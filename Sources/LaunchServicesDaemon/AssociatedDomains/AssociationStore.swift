internal import AssociationFiles
internal import Host
internal import LaunchRules

/// The association files on disk: those that the user added, and those that were fetched.
final class AssociationStore {
  enum Source: String {
    case added, fetched, none
  }

  private let addedFolder: String
  private let fetchedFolder: String
  private let journal: Journal
  /// Those that were asked for lately; nil where there is none.
  private var known: [WebHost: AssociationFile?] = [:]
  private static let mostKnown = 128

  init(added: String, fetched: String, _ journal: Journal) {
    addedFolder = added
    fetchedFolder = fetched
    self.journal = journal
  }

  /// A file that the user added goes before one that was fetched.
  func source(of domain: WebHost) -> Source {
    if FileIdentity(path: addedPath(domain)) != nil { return .added }
    return FileIdentity(path: fetchedPath(domain)) == nil ? .none : .fetched
  }

  /// Nil when there is none.
  func path(of domain: WebHost) -> String? {
    switch source(of: domain) {
    case .added: addedPath(domain)
    case .fetched: fetchedPath(domain)
    case .none: nil
    }
  }

  func fetchedPath(_ domain: WebHost) -> String { "\(fetchedFolder)/\(domain)" }
  private func addedPath(_ domain: WebHost) -> String { "\(addedFolder)/\(domain)" }

  /// Nil when there is none that can be read.
  func file(of domain: WebHost) -> AssociationFile? {
    if let known = known[domain] { return known }
    if known.count >= Self.mostKnown { known = [:] }
    let file = read(domain)
    known[domain] = .some(file)
    return file
  }

  private func read(_ domain: WebHost) -> AssociationFile? {
    guard let path = path(of: domain) else { return nil }
    do throws(FileError) {
      let bytes = try RegularFile.read(path, atMost: AssociationFile.largestSize).bytes
      let reading = AssociationFileReading(bytes, at: path)
      for diagnostic in reading.diagnostics where diagnostic.severity != .note {
        journal.warning(diagnostic.logLine)
      }
      return reading.file
    } catch {
      journal.warning("an association file cannot be read", ["reason": "\(error)"])
      return nil
    }
  }

  /// What was fetched of this domain may be another.
  func forget(_ domain: WebHost) { known[domain] = nil }

  nonisolated struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  /// The bytes of a file that the user names. May take as long as its file system.
  nonisolated static func usable(_ path: String) -> Result<[UInt8], Refusal> {
    do throws(FileError) {
      let bytes = try RegularFile.read(path, atMost: AssociationFile.largestSize).bytes
      let reading = AssociationFileReading(bytes, at: path)
      guard reading.file == nil else { return .success(bytes) }
      return .failure(
        Refusal(description: reading.diagnostics.map(\.description).joined(separator: "\n")))
    } catch {
      return .failure(Refusal(description: "\(error)"))
    }
  }

  /// Keeps a copy of a file that is usable.
  func add(_ bytes: [UInt8], _ domain: WebHost) throws(Refusal) {
    do throws(FileError) {
      try AtomicFile.write(bytes, to: addedPath(domain))
    } catch {
      throw Refusal(description: "\(error)")
    }
    forget(domain)
  }

  /// The site has no file any more.
  func removeFetched(_ domain: WebHost) {
    try? AtomicFile.remove(fetchedPath(domain))
    forget(domain)
  }

  func remove(_ domain: WebHost) throws(Refusal) {
    guard source(of: domain) == .added else {
      throw Refusal(description: "no association file was added for \(domain)")
    }
    do throws(FileError) {
      try AtomicFile.remove(addedPath(domain))
    } catch {
      throw Refusal(description: "\(error)")
    }
    forget(domain)
  }
}
