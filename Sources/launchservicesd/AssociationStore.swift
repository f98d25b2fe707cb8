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

  struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  /// Takes a copy of a file that the user names.
  func add(_ path: String, _ domain: WebHost) throws(Refusal) {
    let reading: AssociationFileReading
    do throws(FileError) {
      let bytes = try RegularFile.read(path, atMost: AssociationFile.largestSize).bytes
      reading = AssociationFileReading(bytes, at: path)
      if reading.file != nil { try AtomicFile.write(bytes, to: addedPath(domain)) }
    } catch {
      throw Refusal(description: "\(error)")
    }
    guard reading.file != nil else {
      throw Refusal(
        description: reading.diagnostics.map(\.description).joined(separator: "\n"))
    }
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
