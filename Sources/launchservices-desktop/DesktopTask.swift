internal import BusContract
internal import Commands
internal import DBus
internal import DesktopEntries
internal import Glibc
internal import Host
internal import LaunchRules

/// One run of the tool: its folders, its output, and the number of problems.
final class DesktopTask {
  let service: Service
  let output: Output
  let folders: UserFolders
  let json: Bool
  /// The number of problems that did not end the run.
  private(set) var problems = 0

  init(service: Service, output: Output, folders: UserFolders, json: Bool) {
    self.service = service
    self.output = output
    self.folders = folders
    self.json = json
  }

  var entriesFolder: String { folders.dataHome + "/applications" }
  var mimeAppsFile: String { folders.configHome + "/mimeapps.list" }
  /// The record that restores `mimeAppsFile`.
  var mimeAppsRecordFile: String { folders.stateHome + "/launch-services/mimeapps.plist" }
  /// The property list by which an earlier version registered all desktop applications as one.
  var formerClaimsFile: String {
    "\(folders.dataHome)/launch-services/Applications/org.launchservices.desktop.plist"
  }

  func call(_ message: borrowing Message) throws(CommandFailure) -> [Value] {
    do throws(ServiceFailure) {
      return try service.call(message, Service.patience)
    } catch {
      throw CommandFailure(error)
    }
  }

  /// Runs `body` while no other run does: the daemon exports after each change, and would undo the user's
  /// change.
  func alone(_ body: () throws(CommandFailure) -> Void) throws(CommandFailure) {
    let lock = try takeLock()
    defer { withExtendedLifetime(lock) {} }
    try body()
  }

  var lockFolder: String { folders.stateHome + "/launch-services/desktop" }

  /// For people.
  var lockOwner: String {
    FolderLock.owner(of: lockFolder).map { "the process \($0)" } ?? "another process"
  }

  /// Waits up to 30 seconds.
  private func takeLock() throws(CommandFailure) -> FolderLock {
    for _ in 0..<1500 {
      if let lock = try lockIfFree() { return lock }
      usleep(20_000)
    }
    throw CommandFailure(.failed, "\(lockFolder) is locked by \(lockOwner); try again later")
  }

  /// The lock of `alone`; nil when another process has it.
  func lockIfFree() throws(CommandFailure) -> FolderLock? {
    do throws(FileError) {
      return try FolderLock.take(lockFolder)
    } catch {
      throw CommandFailure(.failed, error.description)
    }
  }

  func complain(_ problem: String) {
    problems += 1
    output.complain(problem)
  }
}

// MARK: - Files

extension DesktopTask {
  /// Maximum size of a file, in bytes; larger files are not read.
  static let largest = 4 << 20

  /// Nil when the file does not exist.
  func read(_ path: String, atMost limit: Int = largest) throws(FileError) -> [UInt8]? {
    do throws(FileError) {
      return try RegularFile.read(path, atMost: limit).bytes
    } catch  where error.errno == .noSuchFile {
      return nil
    }
  }

  /// Writes an exported file if its contents differ, so that watchers of the folder are not woken without
  /// need. Replaces a symbolic link instead of following it. Returns whether the file was written.
  @discardableResult
  func replace(_ path: String, with bytes: [UInt8]) throws(FileError) -> Bool {
    if !isSymbolicLink(path), (try? read(path)) == bytes { return false }
    try AtomicFile.write(bytes, to: path, mode: 0o644, followsLinks: false)
    return true
  }

  /// The names of the exported entries in the folder.
  func exportedFiles() -> [String] {
    ((try? FolderListing(of: entriesFolder))?.names ?? []).filter(DesktopEntryName.isOurs)
  }

  /// The program of `Exec`: the name of lsopen if it is in a folder that every desktop searches, otherwise
  /// its absolute path. The program beside this one takes precedence over `PATH`; nil when there is none.
  func lsopen() -> String? {
    let name = "lsopen"
    let own = ProcessDetails(of: getpid())?.executable?.path ?? ""
    let beside = "/" + own.split(separator: "/").dropLast().joined(separator: "/")
    let folders = [beside] + searchPath
    guard let folder = folders.first(where: { FileIdentity(path: "\($0)/\(name)") != nil }) else {
      return nil
    }
    return ["/usr/local/bin", "/usr/bin", "/bin"].contains(folder) ? name : "\(folder)/\(name)"
  }

  /// The path of a program in `PATH`; nil when there is none.
  func path(of program: String) -> String? {
    searchPath.map { "\($0)/\(program)" }.first { FileIdentity(path: $0) != nil }
  }

  var searchPath: [String] {
    (ProcessArguments.environment("PATH") ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
      .map(String.init)
  }
}
