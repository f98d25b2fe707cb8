import Foundation
import TemporaryFolders
import Testing

@testable import Host

@MainActor @Suite("A child process", .timeLimit(.minutes(30))) struct ChildProcessTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func output(of launch: Launch) async throws -> String {
    var launch = launch
    try? FileManager.default.removeItem(atPath: folder["output"])
    launch.standardOutput = .file(folder["output"])
    _ = try await run(launch)
    return try String(contentsOfFile: folder["output"], encoding: .utf8)
  }

  @Test("tells the code it exits with") func exitCode() async throws {
    #expect(try await run(shell("exit 3")) == .exited(code: 3))
  }

  @Test("tells the signal that ends it") func signalled() async throws {
    let ends = EventStream<ProcessEnd>()
    let child = try ChildProcess(shell("exec sleep 100")) { ends.add($0) }
    #expect(child.status == nil)
    #expect(child.signal(SIGTERM))
    #expect(try await ends.next() == .signalled(number: SIGTERM))
    #expect(child.status == .signalled(number: SIGTERM))
  }

  @Test("gets no signal once it was reaped, for its number may belong to another by then")
  func signalAfterEnd() async throws {
    let ends = EventStream<ProcessEnd>()
    let child = try ChildProcess(shell("exit 0")) { ends.add($0) }
    _ = try await ends.next()
    #expect(!child.signal(0))
    #expect(!child.signalGroup(0))
  }

  /// The main thread of the daemon waited 45 s for such a program, and answered nobody.
  @Test(
    "counts as started when Linux cannot open the program yet, and this thread does not wait",
    arguments: [(true, ProcessEnd.exited(code: 0)), (false, .exited(code: 127))])
  func leased(canRun: Bool, end: ProcessEnd) async throws {
    let program = folder["program"]
    if canRun {
      try FileManager.default.copyItem(atPath: "/bin/true", toPath: program)
    } else {
      try folder.write("no program", to: "program")
      try #require(unsafe chmod(program, 0o700) == 0)
    }
    // `F_SETLEASE` and `F_GETLEASE` of <fcntl.h>, which Swift does not import.
    let (setLease, getLease) = (Int32(1024), Int32(1025))
    // Linux tells the holder of a lease with SIGIO that another process waits.
    signal(SIGIO, SIG_IGN)
    let lease = unsafe open(program, O_RDONLY | O_CLOEXEC)
    defer { close(lease) }
    try #require(fcntl(lease, setLease, F_WRLCK) == 0)
    let ends = EventStream<ProcessEnd>()
    let child = try ChildProcess(Launch(executable: program)) { ends.add($0) }
    #expect(fcntl(lease, getLease) == F_RDLCK, "the start waits for the end of the lease")
    try #require(fcntl(lease, setLease, F_UNLCK) == 0)
    #expect(try await ends.next() == end)
    #expect(child.status == end)
  }

  /// A test that had just written a program could not run it: a process that another test was starting had the
  /// descriptor.
  @Test("starts when the program is no longer open for writing") func busy() async throws {
    let program = folder["program"]
    try folder.write("#!/bin/sh\nexit 3", to: "program")
    try #require(unsafe chmod(program, 0o700) == 0)
    let writer = unsafe open(program, O_WRONLY | O_CLOEXEC)
    let ends = EventStream<ProcessEnd>()
    let child = try ChildProcess(Launch(executable: program)) { ends.add($0) }
    close(writer)
    #expect(try await ends.next() == .exited(code: 3))
    #expect(child.status == .exited(code: 3))
  }

  @Test("has no file of this process") func openFiles() async throws {
    // `ls` opens the folder that it lists.
    let list = Launch(executable: "/bin/ls", arguments: ["/proc/self/fd"])
    #expect(try await output(of: list) == "0\n1\n2\n3\n")
  }

  // In a process of its own, because the limit and what is remembered of it are those of all tests.
  @Test("has the limit of open files from before this process raised its own")
  func limitOfOpenFiles() async {
    await #expect(processExitsWith: .exitCode(47)) {
      var limit = rlimit()
      try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      limit.rlim_cur = limit.rlim_max - 1
      try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      DescriptorLimit.raise()
      let tests = try await ChildProcessTests()
      let shown = try await tests.output(of: shell("ulimit -n"))
      #expect(shown == "\(limit.rlim_cur)\n")
      exit(shown == "\(limit.rlim_cur)\n" ? 47 : 1)
    }
  }

  @Test("The free descriptors are counted, also those below used ones")
  func freeDescriptors() async {
    await #expect(processExitsWith: .exitCode(47)) {
      // More than one call of poll(2) looks at.
      var limit = rlimit(rlim_cur: 600, rlim_max: 600)
      try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      #expect(!DescriptorLimit.isNear(64))
      var used: [Int32] = []
      while true {
        let copy = dup(0)
        guard copy >= 0 else { break }
        used.append(copy)
      }
      try #require(used.count > 100)
      #expect(DescriptorLimit.isNear(1))
      close(used[1])
      close(used[80])
      let isCounted = !DescriptorLimit.isNear(2) && DescriptorLimit.isNear(3)
      #expect(isCounted)
      exit(isCounted ? 47 : 1)
    }
  }

  @Test("blocks and ignores no signals, though the thread that starts it blocks them all")
  func signalState() async throws {
    let status = folder["status"]
    let pid = try await Task.detached {
      // Not by way of a shell, which unblocks signals itself.
      var launch = Launch(executable: "/bin/cat", arguments: ["/proc/self/status"])
      launch.standardOutput = .file(status)
      var all = sigset_t()
      var before = sigset_t()
      signal(SIGUSR2, SIG_IGN)
      unsafe sigfillset(&all)
      unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
      defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
      return try spawn(launch)
    }.value
    let ends = EventStream<ProcessEnd>()
    let watch = try ExitWatch(pid: pid) { ends.add($0) }
    #expect(try await ends.next() == .exited(code: 0))
    withExtendedLifetime(watch) {}
    let lines = try String(contentsOfFile: status, encoding: .utf8).split(separator: "\n")
    #expect(lines.contains("SigBlk:\t0000000000000000"))
    // The C library keeps the two signals above 31 to itself.
    let ignored = try #require(lines.first { $0.hasPrefix("SigIgn:\t") })
    #expect(UInt64(ignored.dropFirst(8), radix: 16).map { $0 & 0x7fff_ffff } == 0)
  }

  @Test("has no descriptors but 0, 1 and 2, even of files that are open here to be inherited")
  func descriptors() async throws {
    let leaky = unsafe open("/dev/null", O_RDONLY)
    defer { close(leaky) }
    // The 3 is the listing's own.
    #expect(try await output(of: shell("exec ls /proc/self/fd")) == "0\n1\n2\n3\n")
  }

  @Test("leads its own process group, so that a signal reaches its children") func group()
    async throws
  {
    let ends = EventStream<ProcessEnd>()
    var launch = shell("sleep 100 & echo; wait; exit 1")
    let pipe = Pipe()
    launch.standardOutput = .descriptor(pipe.fileHandleForWriting.fileDescriptor)
    let child = try ChildProcess(launch) { ends.add($0) }
    try pipe.fileHandleForWriting.close()
    #expect(ProcessDetails(of: child.pid)?.processGroup == child.pid)
    #expect(ProcessDetails(of: child.pid)?.session == child.pid)
    _ = pipe.fileHandleForReading.readData(ofLength: 1)
    try #require(child.signalGroup(SIGKILL))
    #expect(try await ends.next() == .signalled(number: SIGKILL))
    // The end of the pipe comes when the last one of the group is gone.
    #expect(pipe.fileHandleForReading.readDataToEndOfFile().isEmpty)
  }

  @Test("gets its arguments and variables byte for byte, and no others") func arguments()
    async throws
  {
    var launch = Launch(
      executable: "/bin/sh",
      arguments: ["-c", #"printf '%s|' "$@"; /usr/bin/env -0"#, "sh", "a b", "", "ü\n*"])
    launch.environment = ["VALUE": "1=2\n3"]
    let text = try await output(of: launch)
    #expect(text.hasPrefix("a b||ü\n*|"))
    #expect(text.contains("VALUE=1=2\n3\0"))
    #expect(!text.contains("HOME="))
  }

  @Test("starts in the folder it is told") func workingDirectory() async throws {
    var launch = shell("pwd -P")
    launch.workingDirectory = folder.path
    #expect(try await output(of: launch) == folder.path + "\n")
  }

  @Test("reads nothing by default") func standardInput() async throws {
    #expect(try await output(of: shell("cat; echo end")) == "end\n")
  }

  @Test("may write output and errors to one file, after what is there") func oneFile()
    async throws
  {
    let file = try folder.write("before\n", to: "log")
    var launch = shell("echo 1; echo 2 >&2; echo 3")
    launch.standardOutput = .file(file)
    launch.standardError = .file(file)
    _ = try await run(launch)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "before\n1\n2\n3\n")
  }

  @Test("waits for what it reads from a FIFO, although opening it did not wait") func fifo()
    async throws
  {
    let fifo = folder["fifo"]
    try #require(unsafe mkfifo(fifo, 0o600) == 0)
    let writer = unsafe open(fifo, O_RDWR)
    var launch = shell("read line; echo $line")
    launch.standardInput = .file(fifo)
    try? FileManager.default.removeItem(atPath: folder["output"])
    launch.standardOutput = .file(folder["output"])
    let ends = EventStream<ProcessEnd>()
    let child = try ChildProcess(launch) { ends.add($0) }
    #expect(unsafe write(writer, "hello\n", 6) == 6)
    #expect(try await ends.next() == .exited(code: 0))
    close(writer)
    withExtendedLifetime(child) {}
    #expect(try String(contentsOfFile: folder["output"], encoding: .utf8) == "hello\n")
  }

  @Test("is reaped when nobody holds it, and leaves no descriptor behind") func dropped()
    async throws
  {
    _ = try await run(shell("exit 0"))
    let before = try openDescriptors().count
    for code in Int32(0)..<50 {
      let ends = EventStream<ProcessEnd>()
      let pid = try ChildProcess(shell("exit \(code)")) { ends.add($0) }.pid
      #expect(try await ends.next() == .exited(code: code))
      #expect(waitpid(pid, nil, WNOHANG) == -1 && errno == ECHILD)
    }
    // Dispatch closes the last one a moment later; other suites may hold a few.
    #expect(try openDescriptors().count < before + 50)
  }
}
