internal import AssociationFiles
internal import Host
internal import LaunchRules

/// The association files on disk: added by the user, or fetched.
final class AssociationStore {
  enum Source: String {
    case added, fetched, none
  }

  private let addedFolder: String
  private let fetchedFolder: String
  private let journal: Journal
  /// The files that were read recently; nil for a domain without a file.
  private var known: [WebHost: AssociationFile?] = [:]
  private static let mostKnown = 128

  init(added: String, fetched: String, _ journal: Journal) {
    addedFolder = added
    fetchedFolder = fetched
    self.journal = journal
  }

  /// A file that the user added takes precedence over a fetched one.
  func source(of domain: WebHost) -> Source {
    if FileIdentity(path: addedPath(domain)) != nil { return .added }
    return FileIdentity(path: fetchedPath(domain)) == nil ? .none : .fetched
  }

  /// Nil when the domain has no file.
  func path(of domain: WebHost) -> String? {
    switch source(of: domain) {
    case .added: addedPath(domain)
    case .fetched: fetchedPath(domain)
    case .none: nil
    }
  }

  func fetchedPath(_ domain: WebHost) -> String { "\(fetchedFolder)/\(domain)" }
  private func addedPath(_ domain: WebHost) -> String { "\(addedFolder)/\(domain)" }

  /// Nil when the domain has no file that can be read.
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

  /// Drops the cached file, which a fetch may have changed.
  func forget(_ domain: WebHost) { known[domain] = nil }

  nonisolated struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  /// The bytes of a file that the user names. Blocks on the file system.
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

  /// Stores a copy of a usable file.
  func add(_ bytes: [UInt8], _ domain: WebHost) throws(Refusal) {
    do throws(FileError) {
      try AtomicFile.write(bytes, to: addedPath(domain))
    } catch {
      throw Refusal(description: "\(error)")
    }
    forget(domain)
  }

  /// Removes the fetched file of a site that no longer has an association file.
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
