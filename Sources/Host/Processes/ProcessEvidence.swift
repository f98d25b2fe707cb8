package import LaunchRules

/// What the kernel shows of a process only to who may trace it: not to one in another user namespace.
package struct ProcessEvidence: Hashable, Sendable {
  package var executable: ProcessDetails.Executable?
  /// The file names of the executables of the process and of those above it, nearest first.
  package var programs: [String] = []
  /// Those that were asked for, of the variables it was started with; longer ones than 4 KiB are left out.
  package var variables: [String: String] = [:]
  /// `.flatpak-info` at the root of its sandbox.
  package var flatpakFile: [UInt8]?
  /// Where the chain of processes begins that led to it.
  package var start = WebOrigin.Start.unknown

  package init() {}

  /// - Parameters:
  ///   - lineage: the process and those it descends from, nearest first.
  ///   - names: of the variables.
  ///   - survey: of the processes that may have started it.
  package init(
    reading lineage: [ProcessDetails], variables names: [String], _ survey: ProcessSurvey
  ) {
    guard let process = lineage.first else { return }
    executable = process.executable
    programs = lineage.compactMap { $0.executable?.name }
    variables = process.environmentAtStart.filter {
      names.contains($0.key) && $0.value.utf8.count <= 4096
    }
    flatpakFile = process.flatpakFile
    start = survey.start(of: lineage)
  }
}

extension ProcessDetails.Executable {
  /// The last part of its path.
  var name: String {
    String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
  }
}

// MARK: - Asked of another process

/// How a process asks another one for the evidence of a third.
package enum ProcessQuestion {
  /// In bytes. The path of an executable, names of 257 programs, some variables, a file and the names of other programs
  /// are less.
  package static let largestAnswer = 256 << 10

  /// Where the question is asked; nil without a folder of the session.
  package static func socket(runtimeFolder: String?) -> String? {
    guard let runtimeFolder, runtimeFolder.hasPrefix("/") else { return nil }
    return runtimeFolder + "/launch-services/processes"
  }

  package static func bytes(about process: ProcessDetails) -> [UInt8] {
    Array("\(process.pid) \(process.startTime)".utf8)
  }

  /// The answer to a question, in the process that is asked; nil when it is none.
  /// - Parameter variables: the names of those that are told.
  package static func answer(
    _ question: [UInt8], variables: [String], _ survey: ProcessSurvey
  ) -> [UInt8]? {
    let words = String(decoding: question, as: UTF8.self).split(separator: " ")
    guard words.count == 2, let pid = Int32(words[0]), let startTime = UInt64(words[1]) else {
      return nil
    }
    guard let process = ProcessDetails(of: pid), process.startTime == startTime else { return [0] }
    do {
      let lineage = try process.lineage()
      return [1] + ProcessEvidence(reading: lineage, variables: variables, survey).bytes
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

  /// What an answer says; nil for what is none.
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
  }

  /// Fields: a kind, a length of four bytes, and that many bytes.
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
    switch start {
    case .terminal: add(.terminal, [])
    case .adopted(let neighbours):
      add(.adopted, [])
      for neighbour in neighbours { add(.neighbour, neighbour.utf8) }
    case .unknown: break
    }
    return bytes
  }

  /// Nil when the bytes are none.
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
