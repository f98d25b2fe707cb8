internal import Commands
internal import Glibc
internal import Host

/// What the kernel alone costs: nobody can be faster.
@MainActor
enum FloorFigures {
  /// One byte to another process and back.
  static func measureRoundTrips(rounds: Int, into table: inout Table) throws(CommandFailure) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw CommandFailure(.failed, "no pair of sockets can be made")
    }
    defer { close(ends[0]) }
    let pid: Int32
    do throws(SpawnError) {
      pid = try spawn(
        Launch(
          executable: BenchWorld.products + "/lsbench", arguments: ["--echo"],
          standardInput: .descriptor(ends[1])))
    } catch {
      close(ends[1])
      throw CommandFailure(.failed, error.description)
    }
    close(ends[1])
    var times: [Double] = []
    for round in -20..<rounds {
      let start = ContinuousClock.now
      guard pass(ends[0]) else { throw CommandFailure(.failed, "lsbench --echo has ended") }
      if round >= 0 { times.append((ContinuousClock.now - start) / .microseconds(1)) }
    }
    shutdown(ends[0], Int32(SHUT_RDWR))
    waitpid(pid, nil, 0)
    table.add("round trip on a socket, no D-Bus", Figure(times), unit: "µs")
  }

  /// Sends back every byte that comes on standard input.
  static func echo() {
    var byte: UInt8 = 0
    while unsafe read(STDIN_FILENO, &byte, 1) == 1, unsafe write(STDIN_FILENO, &byte, 1) == 1 {}
  }

  private static func pass(_ socket: Int32) -> Bool {
    var byte: UInt8 = 1
    return unsafe write(socket, &byte, 1) == 1 && read(socket, &byte, 1) == 1
  }

  /// Milliseconds of one thread for what a start cannot leave out: to list a folder and look at each file.
  static func lookAtFiles(in folder: String) throws(CommandFailure) -> Double {
    let start = ContinuousClock.now
    guard let listing = unsafe opendir(folder) else {
      throw CommandFailure(.failed, "\(folder) cannot be listed")
    }
    defer { unsafe closedir(listing) }
    let descriptor = unsafe dirfd(listing)
    let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name)!
    var status = stat()
    while let entry = unsafe readdir(listing) {
      let name = unsafe UnsafeRawPointer(entry).advanced(by: nameOffset)
        .assumingMemoryBound(to: CChar.self)
      unsafe fstatat(descriptor, name, &status, 0)
    }
    return (ContinuousClock.now - start) / .milliseconds(1)
  }
}
