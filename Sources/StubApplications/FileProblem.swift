internal import FoundationEssentials
internal import Glibc

/// An error of Foundation about a file, whose own text is long and has no plain reason.
package struct FileProblem: CustomStringConvertible {
  /// The path and the reason, without a full stop.
  package let description: String

  /// Nil for other errors.
  package init?(_ error: any Error) {
    guard let error = error as? CocoaError else { return nil }
    let path = error.filePath ?? error.url?.path ?? "a file"
    let reason =
      (error.underlying as? POSIXError).map { Self.reason(of: $0.code.rawValue) }
      ?? Self.reason(of: error.code)
    description = "\(path) cannot be read or written: \(reason)"
  }

  private static func reason(of number: Int32) -> String {
    "\(unsafe String(cString: strerror(number))) (error \(number))"
  }

  private static func reason(of code: CocoaError.Code) -> String {
    switch code {
    case .fileWriteOutOfSpace: "no space is left on its file system"
    case .fileWriteNoPermission, .fileReadNoPermission: "permission is denied"
    case .fileWriteVolumeReadOnly: "its file system is read-only"
    case .fileNoSuchFile, .fileReadNoSuchFile: "it does not exist"
    case .fileWriteFileExists: "it exists already"
    default: "error \(code.rawValue) of the file system"
    }
  }
}
