internal import DBus

/// A document that is open for reading, for an application that cannot open it by its path, as in a sandbox. It is
/// closed when nobody holds this any more. Not of UIKit.
public final class OpenDocument: Sendable {
  private let owned: OwnedDescriptor

  init(_ owned: OwnedDescriptor) { self.owned = owned }

  /// Good for as long as this lives.
  public var fileDescriptor: Int32 { owned.number }
}
