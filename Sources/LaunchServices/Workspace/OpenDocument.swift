internal import DBus

/// A document that is open for reading, for an application that cannot open the path, such as one in a sandbox.
/// Closes the file when the last reference is released. Not in UIKit.
public final class OpenDocument: Sendable {
  private let owned: OwnedDescriptor

  init(_ owned: OwnedDescriptor) { self.owned = owned }

  /// The number of the open file; valid as long as this object exists.
  public var fileDescriptor: Int32 { owned.number }
}
