internal import BusContract
internal import Commands
internal import DBus
internal import DesktopEntries
internal import FoundationEssentials
internal import Glibc
internal import Host
internal import LaunchRules

// What lsopen performs under the names xdg-settings and xdg-mime.

extension DesktopTask {
  /// Makes the application the default for the scheme, and for nothing else. For the guard of defaults this is a change
  /// of another program, unless the user has called xdg-settings in a terminal: programs call xdg-settings, too.
  func setDefault(_ scheme: URLScheme, _ entry: String) throws(CommandFailure) {
    guard DesktopApplication(identifier: entry) != nil else {
      throw CommandFailure(.noSuchFile, "no desktop application \(entry) is installed")
    }
    let before: [UInt8]?
    var file: EditedAssociations
    do {
      before = try read(mimeAppsFile)
      file = try EditedAssociations(before ?? [])
    } catch {
      throw CommandFailure(
        .failed, "\(mimeAppsFile) was left alone, because it cannot be read: \(error)")
    }
    file.setDefault(SchemeType.text(of: scheme), to: entry)
    guard file.bytes != before else { return try checkEffect(scheme, entry) }
    let bytes = file.bytes
    let list = mimeAppsFile
    let write = { () throws(FileError) in
      try AtomicFile.write(bytes, to: list, mode: permissions(of: list) ?? 0o644)
    }
    if isCalledInTerminal {
      try writeAsOwn(mimeAppsFile, from: before, to: bytes, write)
    } else {
      do throws(FileError) {
        try write()
      } catch {
        throw CommandFailure(.failed, error.description)
      }
    }
    // The next question is answered from the new list. Without a daemon there is nothing to tell.
    _ = try? service.call(Contract.reload(), Service.patience)
    try checkEffect(scheme, entry)
  }

  /// Fails when Launch Services opens URLs of the scheme with another application than the default of the desktop: the
  /// user's choice in `lsregister default` and the claims of property lists go before. Only the user may change that
  /// choice, and programs call xdg-settings, too.
  private func checkEffect(_ scheme: URLScheme, _ entry: String) throws(CommandFailure) {
    guard let answer = try? service.call(Contract.handlers(scheme.text), Service.patience),
      let first = answer.first?.asStrings?.first, first != entry, first + ".desktop" != entry,
      BundleIdentifier(first).map(DesktopEntryName.file) != entry
    else { return }
    let reason = answer.dropFirst().first?.asStrings?.first ?? "unknown"
    throw CommandFailure(
      .failed,
      "\(entry) is the default of the desktop for \(scheme), but Launch Services opens URLs of this scheme"
        + " with \(first) (\(reason)); to change that: lsregister default \(scheme) \(entry)")
  }

  /// Whether the shell of a terminal has started this process.
  private var isCalledInTerminal: Bool {
    ProcessDetails(of: getpid())?.isOfTerminal ?? false
  }

  func printType(of path: String) throws(CommandFailure) {
    let url = URL(filePath: path)
    guard FileIdentity(path: url.path) != nil else {
      throw CommandFailure(.noSuchFile, "file '\(path)' does not exist")
    }
    output.print(ContentType.ofFile(url.absoluteString) ?? "application/octet-stream")
  }
}
