internal import DesktopEntries

/// The names of applications for people. The entries are listed once, and only when a name is asked for.
final class ApplicationNames {
  private let list: () -> Set<String>
  private lazy var identifiers = list()

  /// - Parameter list: lists the desktop file IDs of the applications that GIO may read.
  init(list: @escaping () -> Set<String>) { self.list = list }

  convenience init(of task: DesktopTask) { self.init { task.readableIdentifiers } }

  /// The desktop file ID itself when GIO finds no application.
  func name(of identifier: String) -> String {
    identifiers.contains(identifier)
      ? DesktopApplication(identifier: identifier)?.name ?? identifier : identifier
  }
}
