internal import Glibc
internal import LaunchRules

/// A file in the folder of the login session which shows that a record of requests was made, and what was last written to
/// the record.
///
/// When the record, its folder, or both files of the record are removed while no daemon runs, or replaced by an older copy,
/// the next daemon would take the lost requests for requests that were never made, and open a repeated request a second
/// time. A restart of the system removes the file together with the session.
final class RecordTrace {
  /// What was written to the record.
  struct Contents: Equatable {
    /// The greatest number that may have been used.
    var lastNumber: UInt64 = 0
    /// The last written request with an identifier; nil when that is unknown.
    var last: Version?
    /// The request that is being written.
    var next: Version?
  }

  /// A request in one of its states.
  struct Version: Equatable {
    let number: UInt64
    let hash: UInt64
  }

  enum Found: Equatable {
    case nothing
    /// A file that says only that there was a record.
    case empty
    case contents(Contents)
    /// Something else.
    case unreadable
  }

  let path: String
  /// What the earlier daemon left.
  let found: Found
  private var contents = Contents()
  private var file: Int32 = -1
  private static let size = 48

  /// - Parameters:
  ///   - folder: the folder of the login session, `$XDG_RUNTIME_DIR`.
  ///   - record: the path of the record. Each record has its own trace.
  init(in folder: String, of record: String) {
    var hash = FNV1a()
    hash.add(bytesOf: record)
    path = "\(folder)/launch-services/record-\(String(hash.value, radix: 16))"
    found = Self.read(path)
  }

  deinit { end() }

  /// Writes nothing more.
  func end() {
    if file >= 0 { close(file) }
    file = -1
  }

  /// Makes the file when it is missing. Its contents are kept until the first write.
  func make() {
    end()
    let folder = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
    unsafe mkdir(String(folder), 0o700)
    file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    var status = stat()
    guard file >= 0 else { return }
    if unsafe fstat(file, &status) != 0 || status.st_mode & S_IFMT != S_IFREG { end() }
  }

  /// The request is written to the record next.
  func begin(_ version: Version?) {
    guard let version else { return }
    contents.next = version
    write()
  }

  /// The record was written.
  /// - Parameter version: the last request in it; nil when no request with an identifier was written.
  func wrote(_ version: Version?, lastNumber: UInt64) {
    guard version != nil || contents.next != nil || lastNumber != contents.lastNumber else {
      return
    }
    if let version { contents.last = version }
    contents.next = nil
    contents.lastNumber = lastNumber
    write()
  }

  /// The last written request is not known any more.
  func forget() {
    guard contents.last != nil || contents.next != nil else { return }
    (contents.last, contents.next) = (nil, nil)
    write()
  }

  /// The last written request.
  var last: Version? { contents.last }

  private func write() {
    guard file >= 0 else { return }
    var status = stat()
    if unsafe fstat(file, &status) == 0, status.st_nlink == 0 { make() }
    guard file >= 0 else { return }
    let bytes = Self.bytes(contents)
    unsafe bytes.withUnsafeBytes { _ = unsafe pwrite(file, $0.baseAddress!, $0.count, 0) }
  }

  private static func bytes(_ contents: Contents) -> [UInt8] {
    var numbers = [contents.lastNumber]
    for version in [contents.last, contents.next] {
      numbers += [version?.number ?? 0, version?.hash ?? 0]
    }
    var hash = FNV1a()
    for number in numbers { hash.add(number) }
    return (numbers + [hash.value]).flatMap { number in
      (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
  }

  private static func read(_ path: String) -> Found {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return errno == ENOENT || errno == ENOTDIR ? .nothing : .unreadable }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: size + 1)
    let count = unsafe pread(file, &bytes, bytes.count, 0)
    if count == 0 { return .empty }
    guard count == size else { return .unreadable }
    let numbers = stride(from: 0, to: size, by: 8).map { start in
      bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
    func version(_ place: Int) -> Version? {
      numbers[place] == 0 ? nil : Version(number: numbers[place], hash: numbers[place + 1])
    }
    let contents = Contents(lastNumber: numbers[0], last: version(1), next: version(3))
    return bytes.prefix(size).elementsEqual(self.bytes(contents))
      ? .contents(contents) : .unreadable
  }
}

extension RecordTrace {
  /// Whether the record lacks what was written to it when this was found.
  /// - Parameters:
  ///   - lastNumber: the greatest number in the record.
  ///   - version: the state of a request in the record, by its number; nil when the record does not have the request.
  static func isNewer(
    _ found: Found, than lastNumber: UInt64, _ version: (UInt64) -> Version?
  ) -> Bool {
    switch found {
    case .nothing, .empty: return false
    case .unreadable: return true
    case .contents(let contents):
      guard lastNumber == contents.lastNumber else {
        // A daemon in another login session may have used the record since.
        return lastNumber < contents.lastNumber
      }
      guard let last = contents.last else { return false }
      // A daemon that was killed has written the next request or not.
      return ![last, contents.next].contains { wanted in
        wanted.map { version($0.number) == $0 } ?? false
      }
    }
  }
}

extension RequestEntry {
  /// The request in its state. Times of writing are left out.
  var version: RecordTrace.Version {
    var hash = FNV1a()
    for number in [number, fingerprint, handled ? 1 : 0, UInt64(bitPattern: Int64(pid)), startTime]
    {
      hash.add(number)
    }
    for text in [name?.scope, name?.id, handler, progress.rawValue, launch, fate, detail] {
      hash.add(optional: text)
    }
    hash.add(UInt64(trail.count))
    return .init(number: number, hash: hash.value)
  }
}
