package import BuildSettings
internal import Host

extension SettingFiles {
  /// The files of this machine. Nothing of a project is run.
  package static let ofDisk = SettingFiles { path, limit throws(Problem) in
    do throws(FileError) {
      return try RegularFile.read(path, atMost: limit).bytes
    } catch {
      throw error.errno == .noSuchFile || error.errno == .notAFolder
        ? .missing : .unreadable(error.description)
    }
  }
}
