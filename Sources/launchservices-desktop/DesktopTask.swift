internal import BusContract
internal import Commands
internal import DBus
internal import DesktopEntries
internal import Glibc
internal import Host
internal import LaunchRules

/// One run of the tool: what it needs, and what went wrong in it.
final class DesktopTask {
  let service: Service
  let output: Output
  let folders: UserFolders
  let json: Bool
  /// How many things went wrong that did not stop the rest.
  private(set) var problems = 0

  init(service: Service, output: Output, folders: UserFolders, json: Bool) {
    self.service = service
    self.output = output
    self.folders = folders
    self.json = json
  }

  var entriesFolder: String { folders.dataHome + "/applications" }
  var mimeAppsFile: String { folders.configHome + "/mimeapps.list" }
  /// What that was before.
  var mimeAppsRecordFile: String { folders.stateHome + "/launch-services/mimeapps.plist" }
  var claimsFile: String {
    "\(folders.dataHome)/launch-services/Applications/\(DesktopBridge.identifier).plist"
  }

  func call(_ message: borrowing Message) throws(CommandFailure) -> [Value] {
    do throws(ServiceFailure) {
      return try service.call(message, Service.patience)
    } catch {
      throw CommandFailure(error)
    }
  }

  /// Does what reads files and writes what follows from them, while no other run does: the daemon exports
  /// whenever something changes, and would undo what the user has just asked for.
  func alone(_ body: () throws(CommandFailure) -> Void) throws(CommandFailure) {
    let lock = try takeLock()
    defer { withExtendedLifetime(lock) {} }
    try body()
  }

  /// Waits for half a minute.
  private func takeLock() throws(CommandFailure) -> FolderLock {
    let folder = folders.stateHome + "/launch-services/desktop"
    do throws(FileError) {
      for _ in 0..<1500 {
        if let lock = try FolderLock.take(folder) { return lock }
        usleep(20_000)
      }
    } catch {
      throw CommandFailure(.failed, error.description)
    }
    throw CommandFailure(.failed, "\(folder)/lock: another process has it; try again later")
  }

  func complain(_ problem: String) {
    problems += 1
    output.complain(problem)
  }
}

// MARK: - Files

extension DesktopTask {
  /// In bytes; larger files are not read.
  static let largest = 4 << 20

  /// Nil when there is none.
  func read(_ path: String, atMost limit: Int = largest) throws(FileError) -> [UInt8]? {
    do throws(FileError) {
      return try RegularFile.read(path, atMost: limit).bytes
    } catch  where error.errno == .noSuchFile {
      return nil
    }
  }

  /// Writes a file of ours when it differs, so that nobody who watches the folder is woken for
  /// nothing. A symbolic link in its place is not followed. True when something was written.
  @discardableResult
  func replace(_ path: String, with bytes: [UInt8]) throws(FileError) -> Bool {
    if !isSymbolicLink(path), (try? read(path)) == bytes { return false }
    try AtomicFile.write(bytes, to: path, mode: 0o644, followsLinks: false)
    return true
  }

  /// The entries of ours that lie there.
  func exportedFiles() -> [String] {
    ((try? FolderListing(of: entriesFolder))?.names ?? []).filter(DesktopEntryName.isOurs)
  }

  /// The `Exec` of lsopen: its name where every desktop finds that, else its absolute path. The one of
  /// this build goes before one in `PATH`; nil when there is neither.
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

  /// Where a program of the machine is.
  func path(of program: String) -> String? {
    searchPath.map { "\($0)/\(program)" }.first { FileIdentity(path: $0) != nil }
  }

  private var searchPath: [String] {
    (ProcessArguments.environment("PATH") ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
      .map(String.init)
  }
}
