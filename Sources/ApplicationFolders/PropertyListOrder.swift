internal import Host
package import LaunchRules
internal import PropertyLists

/// One property list to read, and the other inputs that determine its record.
package struct PropertyListOrder: Hashable, Sendable {
  /// The absolute path of the property list.
  package var path: String
  /// Whether the property list is in a folder of system applications.
  package var isSystem: Bool
  /// The values of build variables.
  package var definitions: [String: String]
  /// The time of its registration by path, in nanoseconds since 1970; nil when it was not registered by path.
  package var registeredAt: Int64?

  package init(
    path: String, isSystem: Bool = false, definitions: [String: String] = [:],
    registeredAt: Int64? = nil
  ) {
    self.path = path
    self.isSystem = isSystem
    self.definitions = definitions
    self.registeredAt = registeredAt
  }

  package func read() -> ApplicationRecord {
    record(
      of: ApplicationReading(of: path, variables: BuildVariables(definitions), isSystem: isSystem))
  }

  /// Makes the record of a reading for this order.
  package func record(of reading: ApplicationReading) -> ApplicationRecord {
    var application = reading.application
    if let registeredAt { application?.installedAt = registeredAt }
    return ApplicationRecord(propertyList: path, application) { writer in
      writer.write(UInt64(Self.isSettled(reading) ? 1 : 0))
      writer.write(reading.stamp)
      writer.write(reading.entitlementsStamp)
      writer.write(circumstances)
      writer.write(UInt64(reading.diagnostics.count))
      for diagnostic in reading.diagnostics { writer.write(diagnostic, after: path) }
    }
  }

  /// Whether the files on disk are unchanged since the record, and the record was made for an equal order.
  package func isCurrent(_ record: ApplicationRecord) -> Bool {
    var reader = record.supplement
    guard reader.number() == 1, let stamp = reader.stamp(), (try? FileStamp(path: path)) == stamp
    else { return false }
    let file = ApplicationReading.entitlementsFile(of: path, BuildVariables(definitions))
    return file.flatMap { try? FileStamp(path: $0) } == reader.stamp()
      && reader.texts() == circumstances
  }

  /// Whether a later change of the files would change their stamps: timestamps have the resolution of the
  /// kernel's clock tick, at most 10 ms.
  private static func isSettled(_ reading: ApplicationReading) -> Bool {
    let last = max(reading.stamp?.changed ?? 0, reading.entitlementsStamp?.changed ?? 0)
    return Time.wallClockNanoseconds() - last > 20_000_000
  }

  private var circumstances: [String] {
    var texts = definitions.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
    if isSystem { texts.append("system") }
    if let registeredAt { texts += ["registered", "\(registeredAt)"] }
    return texts
  }
}

extension ApplicationRecord {
  /// Whether the file could be read, even if it contains no application.
  package var wasReadable: Bool {
    var reader = supplement
    _ = reader.number()
    return reader.stamp() != nil
  }

  /// Whether both records were read from the same files, which were registered at the same time.
  func isSameInstallation(as other: Self) -> Bool { installation == other.installation }

  private struct Installation: Hashable {
    var stamp: FileStamp?
    var entitlementsStamp: FileStamp?
    var circumstances: [String]
  }

  private var installation: Installation {
    var reader = supplement
    _ = reader.number()
    return Installation(
      stamp: reader.stamp(), entitlementsStamp: reader.stamp(), circumstances: reader.texts())
  }

  package var diagnostics: [Diagnostic] {
    var reader = supplement
    _ = (reader.number(), reader.stamp(), reader.stamp(), reader.texts())
    let count = reader.count()
    guard count > 0 else { return [] }
    let path = propertyList
    return (0..<count).map { _ in reader.diagnostic(after: path) }
  }
}

extension RecordWriter {
  fileprivate mutating func write(_ stamp: FileStamp?) {
    guard let stamp else { return write(UInt64(0)) }
    write(UInt64(1))
    write(stamp.identity.device)
    write(stamp.identity.inode)
    write(stamp.size)
    write(stamp.modified)
    write(stamp.changed)
  }

  fileprivate mutating func write(_ diagnostic: Diagnostic, after path: String) {
    write(diagnostic.severity.rawValue)
    write(diagnostic.file, after: path)
    write(diagnostic.keyPath)
    write(diagnostic.problem)
    write(diagnostic.consequence)
  }
}

extension RecordReader {
  fileprivate mutating func stamp() -> FileStamp? {
    guard number() == 1 else { return nil }
    return FileStamp(
      identity: FileIdentity(device: number(), inode: number()), size: signedNumber(),
      modified: signedNumber(), changed: signedNumber())
  }

  fileprivate mutating func diagnostic(after path: String) -> Diagnostic {
    Diagnostic(
      Diagnostic.Severity(rawValue: text() ?? "") ?? .warning, file: text(after: path),
      keyPath: text() ?? "", problem: text() ?? "", consequence: text() ?? "")
  }
}
