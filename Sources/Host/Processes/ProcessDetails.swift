internal import CHost
internal import Glibc

/// A snapshot of the kernel's information about a process.
package struct ProcessDetails: Hashable, Sendable {
  package let pid: Int32
  /// 0 when the parent is outside of the PID namespace of this process.
  package private(set) var parent: Int32
  package let processGroup: Int32
  package let session: Int32
  /// Whether the session of the process has a terminal.
  package let hasTerminal: Bool
  /// The name of the process, in at most 15 bytes. Initially the name of its executable; the process can
  /// change it.
  package let name: String
  /// In clock ticks since boot. Number and start time together identify a process; the number alone is
  /// reused.
  package let startTime: UInt64
  let threads: Int
  /// Whether the process is ending or is waiting to be reaped.
  package let hasEnded: Bool
  /// The effective user; 0 also for a process that hides its memory from its own user.
  package let user: UInt32
  /// Nil when unreadable, as for processes of other users, and for kernel threads.
  package let executable: Executable?
  /// The path of its control group in the version 2 hierarchy, such as
  /// `/user.slice/user-1000.slice/user@1000.service/app.slice/app-example.scope`. Nil for ancestors.
  package let controlGroup: String?

  /// The executable file of a process.
  package struct Executable: Hashable, Sendable {
    /// Absolute path. For a deleted file, its former path.
    package let path: String
    /// Independent of the name of the file, and valid after its deletion.
    package let identity: FileIdentity
    package let isDeleted: Bool
  }

  /// Nil when the process does not exist or has ended.
  package init?(of pid: Int32) { self.init(of: pid, readingGroup: true) }

  init?(of pid: Int32, readingGroup: Bool) {
    // All files are read relative to one open folder, so that they belong to the same process even if its
    // number is reused.
    guard pid > 0,
      let folder = try? Descriptor(opening: "/proc/\(pid)", O_RDONLY | O_DIRECTORY),
      let status = try? folder.status(),
      let line = Self.read("stat", in: folder), let fields = StatFields(line)
    else { return nil }
    self.pid = pid
    parent = fields.parent
    processGroup = fields.processGroup
    session = fields.session
    hasTerminal = fields.hasTerminal
    name = fields.name
    startTime = fields.startTime
    threads = fields.threads
    hasEnded = fields.hasEnded
    user = status.st_uid
    executable = Executable(in: folder)
    controlGroup =
      readingGroup ? Self.read("cgroup", in: folder).flatMap(Self.controlGroup) : nil
  }

  /// Creates a value for tests.
  init(pid: Int32, parent: Int32, startTime: UInt64 = 1) {
    (self.pid, self.parent, processGroup, session) = (pid, parent, pid, pid)
    self.startTime = startTime
    (hasEnded, user, executable, controlGroup) = (false, geteuid(), nil, nil)
    (hasTerminal, name, threads) = (false, "", 1)
  }

  /// Start time in microseconds since boot, rounded down to a clock tick.
  package var startedAt: UInt64 { startTime * Self.tick }

  /// The duration of a clock tick in microseconds.
  package static let tick = 1_000_000 / UInt64(sysconf(Int32(_SC_CLK_TCK)))

  /// The time since the start of the process.
  package var age: Duration {
    var now = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &now)
    return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec) - .microseconds(startedAt)
  }

  /// Whether this may be a child that a former process of this program has created, and that has not executed
  /// its own program yet. Such a child still has the executable and the environment of its parent.
  package var mayBeBeforeExecution: Bool {
    guard pid != getpid(), session == pid, threads == 1, !hasEnded, let own = Self.own,
      startTime <= own.startTime
    else { return false }
    // During execve(2), the new environment is empty for a moment.
    return executable?.path == own.executable?.path || environmentAtStart.isEmpty
  }

  private static let own = ProcessDetails(of: getpid())

  /// All processes with the effective user of this process.
  package static func ofThisUser() -> [ProcessDetails] {
    numbers().compactMap { ProcessDetails(of: $0) }.filter { $0.user == geteuid() }
  }

  /// The numbers of all processes that this process can see.
  package static func numbers() -> [Int32] {
    ((try? FolderListing(of: "/proc").names) ?? []).compactMap { Int32($0) }
  }

  /// The numbers of all sessions on this machine.
  package static var sessions: Set<Int32> {
    let names = (try? FolderListing(of: "/proc").names) ?? []
    return Set(names.compactMap { Int32($0) }.map { getsid($0) }.filter { $0 > 0 })
  }

  /// The number of the run of the kernel; empty when it cannot be read.
  package static let boot: String = {
    let bytes = try? RegularFile.read("/proc/sys/kernel/random/boot_id", atMost: 64).bytes
    return String(decoding: (bytes ?? []).prefix { $0 != 10 }, as: UTF8.self)
  }()

  /// The initial environment variables, from the first 1 MiB of their data. Empty for a process that has
  /// ended or belongs to another user.
  package var environmentAtStart: [String: String] {
    guard let folder = try? Descriptor(opening: "/proc/\(pid)", O_RDONLY | O_DIRECTORY),
      let bytes = Self.read("environ", in: folder, atMost: 1 << 20),
      Self.startTime(in: folder) == startTime
    else { return [:] }
    var variables: [String: String] = [:]
    for variable in bytes.split(separator: 0) {
      guard let mark = variable.firstIndex(of: UInt8(ascii: "=")) else { continue }
      variables[String(decoding: variable[..<mark], as: UTF8.self)] = String(
        decoding: variable[(mark + 1)...], as: UTF8.self)
    }
    return variables
  }

  /// The initial environment variables with these names, for processes with very large environments.
  func environmentAtStart(named names: [String]) -> [String: String] {
    guard let folder = try? Descriptor(opening: "/proc/\(pid)", O_RDONLY | O_DIRECTORY),
      let bytes = Self.read("environ", in: folder, atMost: 1 << 20),
      Self.startTime(in: folder) == startTime
    else { return [:] }
    return Self.variables(named: names, in: bytes)
  }

  /// The first value of each variable, as getenv(3) finds it. With functions of the C library, because each caller has
  /// several environments searched, of up to 1 MiB each.
  static func variables(named names: [String], in data: [UInt8]) -> [String: String] {
    let pairs = names.compactMap { name in
      value(after: Array((name + "=").utf8), in: data).map { (name, $0) }
    }
    return Dictionary(pairs) { first, _ in first }
  }

  private static func value(after beginning: [UInt8], in data: [UInt8]) -> String? {
    unsafe data.withUnsafeBytes { data -> String? in
      guard let start = data.baseAddress else { return nil }
      var place = 0
      while let found = unsafe chost_find_bytes(
        start + place, data.count - place, beginning, beginning.count)
      {
        let offset = unsafe found - start
        place = offset + beginning.count
        guard unsafe offset == 0 || data[offset - 1] == 0 else { continue }
        var end = data.count
        if let zero = unsafe memchr(start + place, 0, data.count - place) {
          end = unsafe UnsafeRawPointer(zero) - start
        }
        return unsafe String(decoding: data[place..<end], as: UTF8.self)
      }
      return nil
    }
  }

  /// Whether the real or the effective user is that of this process. Also true when the users of a process that hides its
  /// memory cannot be read.
  var mayBeOfThisUser: Bool {
    if user == geteuid() { return true }
    guard user == 0, let folder = try? Descriptor(opening: "/proc/\(pid)", O_RDONLY | O_DIRECTORY),
      let lines = Self.read("status", in: folder), Self.startTime(in: folder) == startTime,
      let line = lines.split(separator: UInt8(ascii: "\n")).first(where: {
        $0.starts(with: "Uid:".utf8)
      })
    else { return user == 0 }
    let users = line.split { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }.dropFirst()
      .map { String(decoding: $0, as: UTF8.self) }
    return users.contains(String(geteuid()))
  }

  private static func startTime(in folder: borrowing Descriptor) -> UInt64? {
    read("stat", in: folder).flatMap(StatFields.init)?.startTime
  }

  /// The current parent of a process; nil when the process has ended.
  static func parent(of process: ProcessDetails) -> Int32? {
    let number = unsafe open("/proc/\(process.pid)/stat", O_RDONLY | O_CLOEXEC)
    guard number >= 0 else {
      DescriptorShortage.recordFailure()
      return nil
    }
    let file = Descriptor(adopting: number)
    guard let fields = (try? file.readSome(atMost: small)).flatMap(StatFields.init),
      fields.startTime == process.startTime
    else { return nil }
    return fields.parent
  }

  func withParent(_ parent: Int32) -> ProcessDetails {
    var details = self
    details.parent = parent
    return details
  }

  private static let small = 65536

  private static func read(
    _ name: String, in folder: borrowing Descriptor, atMost limit: Int = small
  ) -> [UInt8]? {
    let number = unsafe openat(folder.number, name, O_RDONLY | O_CLOEXEC, 0)
    guard number >= 0 else {
      DescriptorShortage.recordFailure()
      return nil
    }
    let file = Descriptor(adopting: number)
    // The kernel returns these files in one piece, up to the size of the buffer.
    return limit > Self.small
      ? try? file.readAll(stoppingPast: limit) : try? file.readSome(atMost: limit)
  }

  /// Returns the line of the version 2 hierarchy, which begins with `0::`.
  static func controlGroup(_ lines: [UInt8]) -> String? {
    for line in lines.split(separator: UInt8(ascii: "\n")) where line.starts(with: "0::".utf8) {
      return String(validating: line.dropFirst(3), as: UTF8.self)
    }
    return nil
  }
}

extension ProcessDetails.Executable {
  init?(in folder: borrowing Descriptor) {
    guard let file = FileIdentity(remembered: "exe", in: folder.number) else { return nil }
    let size = Int(PATH_MAX)
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
      filled = unsafe max(0, readlinkat(folder.number, "exe", buffer.baseAddress!, size))
    }
    identity = file
    // An invalid or too long path matches no application; the file identity is still valid.
    let link = bytes.count < size ? String(decoding: bytes, as: UTF8.self) : ""
    // The name of an existing file may have this ending, too.
    let mark = " (deleted)"
    isDeleted = link.hasSuffix(mark) && PromptFile.identity(of: link) != identity
    path = isDeleted ? String(link.dropLast(mark.count)) : link
  }
}

/// The required fields of `/proc/PID/stat`.
struct StatFields: Equatable {
  let name: String
  let parent: Int32
  let processGroup: Int32
  let session: Int32
  let hasTerminal: Bool
  let startTime: UInt64
  let threads: Int
  let hasEnded: Bool
  /// Whether it runs, or waits for a processor.
  let isRunnable: Bool

  /// The second field is the program's name in parentheses, which may contain spaces and parentheses. The
  /// fields after it are letters and numbers.
  init?(_ line: [UInt8]) {
    guard let end = line.lastIndex(of: UInt8(ascii: ")")),
      let begin = line.firstIndex(of: UInt8(ascii: "(")), begin < end
    else { return nil }
    let fields = line[(end + 1)...].split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
      .map { String(decoding: $0, as: UTF8.self) }
    // `fields[0]` is field 3 in proc(5).
    guard fields.count > 19, let parent = Int32(fields[1]), let group = Int32(fields[2]),
      let session = Int32(fields[3]), let threads = Int(fields[17]),
      let startTime = UInt64(fields[19])
    else { return nil }
    name = String(decoding: line[(begin + 1)..<end], as: UTF8.self)
    self.parent = parent
    processGroup = group
    self.session = session
    hasTerminal = fields[4] != "0"
    self.startTime = startTime
    self.threads = threads
    isRunnable = fields[0] == "R"
    let isExiting: UInt32 = 4  // PF_EXITING
    hasEnded =
      fields[0] == "Z" || fields[0] == "X" || UInt32(fields[6]).map { $0 & isExiting != 0 } ?? false
  }
}
