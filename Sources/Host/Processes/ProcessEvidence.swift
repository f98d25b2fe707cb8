package import LaunchRules

/// Information about a process that the kernel shows only to processes with permission to trace it, and
/// therefore not to processes in another user namespace.
package struct ProcessEvidence: Hashable, Sendable {
  package var executable: ProcessDetails.Executable?
  /// File names of the executables of the process and its ancestors, nearest first.
  package var programs: [String] = []
  /// The requested initial environment variables; values longer than 4 KiB are left out.
  package var variables: [String: String] = [:]
  /// The file `.flatpak-info` in the root folder of its sandbox.
  package var flatpakFile: [UInt8]?
  /// The beginning of the chain of processes that led to the process.
  package var start = WebOrigin.Start.unknown
  /// The namespaces of the process that differ from those of the programs of the session; see `Outsider.namespaces`.
  package var otherNamespaces: [String] = []
  /// Whether paths of the process mean other files.
  package var hasOtherRoot = false

  package init() {}

  /// - Parameters:
  ///   - lineage: the process and its ancestors, nearest first.
  ///   - names: names of the variables.
  ///   - start: the beginning of the chain of processes that led to the process; see `ProcessSurvey`.
  package init(
    reading lineage: [ProcessDetails], variables names: [String], start: WebOrigin.Start
  ) {
    guard let process = lineage.first else { return }
    executable = process.executable
    programs = lineage.compactMap { $0.executable?.name }
    variables = process.environmentAtStart(named: names).filter { $0.value.utf8.count <= 4096 }
    flatpakFile = process.flatpakFile
    self.start = start
    otherNamespaces = process.otherNamespaces(among: Outsider.namespaces)
    hasOtherRoot = process.hasOtherRoot
  }
}

extension ProcessDetails.Executable {
  /// The last component of the path.
  package var name: String {
    String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
  }
}

// MARK: - Queries to another process

/// The protocol by which a process requests the evidence of another process from `launchservices-processes`.
package enum ProcessQuestion {
  /// Maximum size of an answer in bytes. Sufficient for the path of an executable, names of 257 programs,
  /// some variables, a file and the names of other programs.
  package static let largestAnswer = 256 << 10

  /// Path of the socket; nil without a runtime folder of the session.
  package static func socket(runtimeFolder: String?) -> String? {
    guard let runtimeFolder, runtimeFolder.hasPrefix("/") else { return nil }
    return runtimeFolder + "/launch-services/processes"
  }

  package static func bytes(about process: ProcessDetails) -> [UInt8] {
    Array("\(process.pid) \(process.startTime)".utf8)
  }

  /// The answer to a query, in the answering process; nil for an invalid query.
  /// - Parameter variables: names of the variables to include.
  @MainActor package static func answer(
    _ question: [UInt8], variables: [String], _ survey: ProcessSurvey
  ) -> [UInt8]? {
    let words = String(decoding: question, as: UTF8.self).split(separator: " ")
    guard words.count == 2, let pid = Int32(words[0]), let startTime = UInt64(words[1]) else {
      return nil
    }
    guard let process = ProcessDetails(of: pid), process.startTime == startTime else { return [0] }
    do {
      let lineage = try process.lineage()
      return [1]
        + ProcessEvidence(
          reading: lineage, variables: variables, start: survey.start(of: lineage)
        ).bytes
    } catch .gone {
      return [0]
    } catch {
      return [2] + "\(error)".utf8
    }
  }

  package enum Answer: Hashable, Sendable {
    case evidence(ProcessEvidence)
    case noProcess
    /// A sentence without its full stop.
    case unreadable(String)
  }

  /// Decodes an answer; nil for invalid bytes.
  package static func read(answer: [UInt8]) -> Answer? {
    let rest = Array(answer.dropFirst())
    switch answer.first {
    case 0 where rest.isEmpty: return .noProcess
    case 1: return ProcessEvidence(bytes: rest).map { .evidence($0) }
    case 2 where !rest.isEmpty: return .unreadable(String(decoding: rest, as: UTF8.self))
    default: return nil
    }
  }
}

extension ProcessEvidence {
  private enum Field: UInt8 {
    case path = 1
    case device, inode, deleted, program, variable, flatpakFile, terminal, adopted, neighbour
    case namespace, otherRoot
  }

  /// Fields in the form: kind, length in four bytes, contents.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    func add(_ field: Field, _ value: some Collection<UInt8>) {
      bytes.append(field.rawValue)
      for shift in stride(from: 0, to: 32, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: value.count >> shift))
      }
      bytes += value
    }
    if let executable {
      add(.path, executable.path.utf8)
      add(.device, String(executable.identity.device).utf8)
      add(.inode, String(executable.identity.inode).utf8)
      if executable.isDeleted { add(.deleted, []) }
    }
    for program in programs { add(.program, program.utf8) }
    for (name, value) in variables.sorted(by: { $0.key < $1.key }) {
      add(.variable, "\(name)=\(value)".utf8)
    }
    if let flatpakFile { add(.flatpakFile, flatpakFile) }
    for namespace in otherNamespaces { add(.namespace, namespace.utf8) }
    if hasOtherRoot { add(.otherRoot, []) }
    switch start {
    case .terminal: add(.terminal, [])
    case .adopted(let neighbours):
      add(.adopted, [])
      for neighbour in neighbours { add(.neighbour, neighbour.utf8) }
    case .unknown: break
    }
    return bytes
  }

  /// Nil for invalid bytes.
  init?(bytes: [UInt8]) {
    var path: String?
    var device: UInt64?
    var inode: UInt64?
    var isDeleted = false
    var neighbours: [String]?
    var rest = bytes[...]
    while let kind = rest.popFirst() {
      guard let field = Field(rawValue: kind), rest.count >= 4 else { return nil }
      let count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      rest.removeFirst(4)
      guard rest.count >= count else { return nil }
      let value = rest.prefix(count)
      rest.removeFirst(count)
      if field == .flatpakFile {
        flatpakFile = Array(value)
        continue
      }
      guard let text = String(validating: value, as: UTF8.self) else { return nil }
      switch field {
      case .path: path = text
      case .device: device = UInt64(text)
      case .inode: inode = UInt64(text)
      case .deleted: isDeleted = true
      case .program: programs.append(text)
      case .variable:
        guard let mark = text.firstIndex(of: "=") else { return nil }
        variables[String(text[..<mark])] = String(text[text.index(after: mark)...])
      case .terminal: start = .terminal
      case .adopted: neighbours = []
      case .neighbour: neighbours?.append(text)
      case .namespace: otherNamespaces.append(text)
      case .otherRoot: hasOtherRoot = true
      case .flatpakFile: break
      }
    }
    if let neighbours { start = .adopted(among: neighbours) }
    guard let path else { return }
    guard let device, let inode else { return nil }
    executable = .init(
      path: path, identity: FileIdentity(device: device, inode: inode), isDeleted: isDeleted)
  }
}
