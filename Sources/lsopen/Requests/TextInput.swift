internal import Commands
internal import Glibc

/// Stores standard input in a file, for a text editor (R7.2).
struct TextInput {
  /// The folder of the files, accessible to this user only.
  let folder: String
  /// Maximum size of one text, and of all stored texts together, in bytes. The oldest files are removed when
  /// the total is exceeded.
  var longest = 64 << 20
  var most = 256 << 20
  /// Maximum number of stored texts.
  var mostFiles = 100

  init(environment: (String) -> String?) {
    let cache = environment("XDG_CACHE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    folder = (cache ?? (environment("HOME") ?? "/tmp") + "/.cache") + "/launch-services/stdin"
  }

  /// Reads standard input to its end.
  /// - Returns: the absolute path of the file.
  func save(from input: Int32 = STDIN_FILENO) throws(CommandFailure) -> String {
    try makeFolder()
    makeRoom()
    var random = SystemRandomNumberGenerator()
    let path = "\(folder)/stdin-\(String(random.next(), radix: 36)).txt"
    let file = unsafe Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw failure("\(path) cannot be created") }
    defer { close(file) }
    do throws(CommandFailure) {
      try copy(from: input, to: file, path)
    } catch {
      unsafe unlink(path)
      throw error
    }
    return path
  }

  private func copy(from input: Int32, to file: Int32, _ path: String) throws(CommandFailure) {
    var buffer = [UInt8](repeating: 0, count: 65536)
    var total = 0
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe read(input, $0.baseAddress, $0.count)
      }
      if count == 0 { return }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw failure("standard input cannot be read")
      }
      total += count
      guard total <= longest else {
        throw CommandFailure(
          .failed,
          "standard input has more than \(longest >> 20) MiB; put it into a file, and open that")
      }
      var rest = buffer[..<count]
      while !rest.isEmpty {
        let written = unsafe rest.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
        guard written >= 0 || errno == EINTR else { throw failure("\(path) cannot be written") }
        rest = rest.dropFirst(max(0, written))
      }
    }
  }

  /// Creates the folder and its missing parents with access for this user only, and checks the folder.
  private func makeFolder() throws(CommandFailure) {
    var path = ""
    for part in folder.split(separator: "/") {
      path += "/" + part
      _ = unsafe mkdir(path, 0o700)
    }
    var status = stat()
    guard unsafe lstat(folder, &status) == 0 else { throw failure("\(folder) cannot be made") }
    guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
      status.st_mode & 0o077 == 0
    else {
      throw CommandFailure(.failed, "\(folder) is not a folder of yours alone; remove it")
    }
  }

  /// Removes the oldest files until there is room for one more.
  private func makeRoom() {
    var files: [(path: String, size: Int, time: Int)] = []
    guard let stream = unsafe opendir(folder) else { return }
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      var status = stat()
      guard name.hasPrefix("stdin-"), unsafe lstat("\(folder)/\(name)", &status) == 0 else {
        continue
      }
      files.append(("\(folder)/\(name)", Int(status.st_size), Int(status.st_mtim.tv_sec)))
    }
    unsafe closedir(stream)
    files.sort { $0.time < $1.time }
    var size = files.reduce(0) { $0 + $1.size }
    while let oldest = files.first, size > most - longest || files.count >= mostFiles {
      unsafe unlink(oldest.path)
      size -= oldest.size
      files.removeFirst()
    }
  }

  private func failure(_ what: String) -> CommandFailure {
    CommandFailure(.failed, "\(what): \(unsafe String(cString: strerror(errno)))")
  }
}
