internal import Commands
internal import DesktopEntries
internal import Host
internal import PropertyLists

// The user's mimeapps.list, and the file with the record that restores it.

extension DesktopTask {
  /// Reads the list, changes it, and writes it if it differs.
  func changeDefaults(
    _ change: (inout MimeAppsList) -> Void
  ) throws(CommandFailure) {
    do {
      let before = try read(mimeAppsFile)
      var list = try MimeAppsList(before, record: readRecord())
      change(&list)
      // The record is written first: it is ignored for a list with other contents.
      try writeRecord(list.record)
      guard list.bytes != before else { return }
      let bytes = list.bytes
      try writeAsOwn(mimeAppsFile, from: before, to: bytes) { () throws(FileError) in
        if let bytes {
          try AtomicFile.write(
            bytes, to: mimeAppsFile, mode: permissions(of: mimeAppsFile) ?? 0o644)
        } else {
          try AtomicFile.remove(mimeAppsFile, followsLinks: true)
        }
      }
    } catch let error as FileError {
      throw CommandFailure(.failed, error.description)
    } catch let error as CommandFailure {
      throw error
    } catch let error as DesktopFailure {
      throw CommandFailure(
        .failed, "\(mimeAppsFile) was left alone, because it cannot be read: \(error)")
    } catch {
      throw CommandFailure(.failed, "\(error)")
    }
  }

  private func readRecord() throws(FileError) -> MimeAppsRecord? {
    guard let bytes = try read(mimeAppsRecordFile, atMost: 3 * Self.largest) else { return nil }
    do {
      return try OwnPropertyList.decode(MimeAppsRecord.self, from: bytes)
    } catch {
      complain(
        "\(mimeAppsRecordFile) cannot be used, so \(mimeAppsFile) may not come back byte for byte: "
          + "\(error)")
      return nil
    }
  }

  private func writeRecord(_ record: MimeAppsRecord?) throws(FileError) {
    guard let record else { return try AtomicFile.remove(mimeAppsRecordFile) }
    try AtomicFile.write(OwnPropertyList.encode(record), to: mimeAppsRecordFile)
  }
}
