/// What the guard of defaults does with the changes of other programs in the user's `mimeapps.list` files.
package enum DefaultsGuardPolicy: String, Codable, Hashable, Sendable, CaseIterable {
  /// The files are not watched.
  case off
  /// Changes are recorded, and a notification tells the user.
  case notice
  /// Also takes back the changes that `DefaultsGuardRule` finds.
  case restore
}

/// One changed line of a `mimeapps.list` file.
package struct AssociationChange: Codable, Hashable, Sendable {
  /// Such as `Default Applications`.
  package let group: String
  /// A MIME type, such as `text/html` or `x-scheme-handler/mailto`.
  package let type: String
  /// The values of the file; nil for no line.
  package let before: String?
  package let after: String?

  package init(group: String, type: String, before: String?, after: String?) {
    (self.group, self.type) = (group, type)
    (self.before, self.after) = (before, after)
  }

  /// The groups of the MIME applications specification of freedesktop.org.
  package static let defaults = "Default Applications"
  package static let added = "Added Associations"
  package static let removed = "Removed Associations"

  /// The desktop file IDs of the values.
  package var applicationsBefore: [String] { before.map { DefaultList($0).files } ?? [] }
  package var applicationsAfter: [String] { after.map { DefaultList($0).files } ?? [] }

  /// The desktop file ID of the application that the change makes the default; nil if the default is the same.
  package var newDefault: String? {
    guard group == Self.defaults, let first = applicationsAfter.first,
      first != applicationsBefore.first
    else { return nil }
    return first
  }

  /// The change in the other direction.
  package var reversed: Self { Self(group: group, type: type, before: after, after: before) }
}

/// The lines of a `mimeapps.list` file: for each group, the types with their values.
package struct Associations: Hashable, Sendable {
  package var groups: [String: [String: String]]

  package init(_ groups: [String: [String: String]] = [:]) { self.groups = groups }

  /// The changed lines, sorted by group and type.
  package func changes(to new: Self) -> [AssociationChange] {
    var changes: [AssociationChange] = []
    for group in Set(groups.keys).union(new.groups.keys).sorted() {
      let (before, after) = (groups[group] ?? [:], new.groups[group] ?? [:])
      for type in Set(before.keys).union(after.keys).sorted() where before[type] != after[type] {
        changes.append(.init(group: group, type: type, before: before[type], after: after[type]))
      }
    }
    return changes
  }
}

extension Associations {
  /// The desktop file IDs of the applications that a list makes the default, or adds, for a type.
  fileprivate func applications(of type: String) -> [String] {
    [AssociationChange.defaults, AssociationChange.added]
      .compactMap { groups[$0]?[type] }.flatMap { DefaultList($0).files }
  }
}

/// Decides which changed lines the guard takes back.
///
/// Nothing in the file tells who has written a line: each program can write the same lines as the settings of the
/// desktop. So every change that takes something from another application is taken back, unless
/// `UserChoiceRule` knows that the user has made the change, or the user allows the application.
///
/// `xdg-settings set default-url-scheme-handler` of xdg-utils 1.1.3 makes the application the default for
/// `text/html`, too (xdg-utils issue 180).
package struct DefaultsGuardRule: Sendable {
  /// An application and a type for which the user has undone that the application became the default.
  package struct Undone: Codable, Hashable, Sendable {
    package let type: String
    package let application: String

    package init(type: String, application: String) {
      (self.type, self.application) = (type, application)
    }
  }

  /// Why a changed line is taken back.
  package enum Reason: String, Codable, Hashable, Sendable {
    /// The application became the default for a scheme and, with it, for a type of web pages.
    case webPagesWithScheme = "web-pages-with-scheme"
    /// The application became the default for a scheme and, with it, for a type that its entry does not declare.
    case undeclaredTypeWithScheme = "undeclared-type-with-scheme"
    /// The user has undone the same change before, or the guard has.
    case undoneBefore = "undone-before"
    /// The application became the default in the place of another one.
    case defaultTaken = "default-taken"
    /// The line with the default of an installed application was removed.
    case defaultRemoved = "default-removed"
    /// Another application became the first of the added associations, or an installed one was removed from them.
    case associationTaken = "association-taken"
    /// The list of the removed associations has other applications.
    case removalChanged = "removal-changed"
  }

  /// What is known about the installed applications.
  package struct Installed {
    /// Whether the desktop entry of an application declares a type.
    package let declares: (_ application: String, _ type: String) -> Bool
    /// Whether a desktop entry with this desktop file ID exists.
    package let contains: (_ application: String) -> Bool
    /// Whether another application can be the default for the type: its desktop entry declares the type, or, in `restored`,
    /// one of the user's lists gives the type to this application.
    package let hasOther: (_ application: String, _ type: String) -> Bool

    package init(
      declares: @escaping (_ application: String, _ type: String) -> Bool,
      contains: @escaping (_ application: String) -> Bool,
      hasOther: @escaping (_ application: String, _ type: String) -> Bool
    ) {
      (self.declares, self.contains, self.hasOther) = (declares, contains, hasOther)
    }

    /// Counts also the installed applications to which the lists give a type.
    fileprivate func counting(_ lists: [Associations]) -> Self {
      Self(declares: declares, contains: contains) { [contains, hasOther] application, type in
        hasOther(application, type)
          || lists.contains { list in
            list.applications(of: type).contains { $0 != application && contains($0) }
          }
      }
    }
  }

  /// The desktop file IDs of applications whose changes always stay.
  package var allowed: Set<String> = []
  package var undone: Set<Undone> = []

  package init(allowed: Set<String> = [], undone: Set<Undone> = []) {
    (self.allowed, self.undone) = (allowed, undone)
  }

  private static let webTypes: Set<String> = ["text/html", "application/xhtml+xml"]
  private static let browserSchemes: Set<String> = ["http", "https", "about", "unknown", "ftp"]

  /// - Parameters:
  ///   - changes: the changes of one file, which the user has not made.
  ///   - lists: the user's lists before the changes, all of them: a line of one list takes the default that an
  ///     application has by a line of another list, because the lists have an order.
  /// - Returns: the changes to take back.
  package func restored(
    _ changes: [AssociationChange], in lists: [Associations], _ installed: Installed
  ) -> [(change: AssociationChange, reason: Reason)] {
    let installed = installed.counting(lists)
    // By the desktop file ID of the application.
    var schemes: [String: Set<String>] = [:]
    for change in changes {
      guard let application = change.newDefault, let scheme = SchemeType.scheme(of: change.type)
      else { continue }
      schemes[application, default: []].insert(scheme.text)
    }
    return changes.compactMap { change in
      let reason: Reason? =
        switch change.group {
        case AssociationChange.defaults: reasonForDefault(change, schemes, installed)
        case AssociationChange.added: reasonForAdded(change, installed)
        case AssociationChange.removed: reasonForRemoved(change)
        default: nil
        }
      return reason.map { (change, $0) }
    }
  }

  private func reasonForDefault(
    _ change: AssociationChange, _ newSchemes: [String: Set<String>], _ installed: Installed
  ) -> Reason? {
    let old = change.applicationsBefore.first.flatMap { installed.contains($0) ? $0 : nil }
    guard let application = change.newDefault else {
      return old != nil && change.applicationsAfter.isEmpty ? .defaultRemoved : nil
    }
    if allowed.contains(application) { return nil }
    if undone.contains(Undone(type: change.type, application: application)) { return .undoneBefore }
    let schemes = newSchemes[application] ?? []
    if SchemeType.scheme(of: change.type) == nil, !schemes.isEmpty {
      if !installed.declares(application, change.type) { return .undeclaredTypeWithScheme }
      let isBrowser = schemes.contains(where: Self.browserSchemes.contains)
      if Self.webTypes.contains(change.type), !isBrowser { return .webPagesWithScheme }
    }
    return old != nil || installed.hasOther(application, change.type) ? .defaultTaken : nil
  }

  private func reasonForAdded(_ change: AssociationChange, _ installed: Installed) -> Reason? {
    let (before, after) = (change.applicationsBefore, change.applicationsAfter)
    if let first = after.first, first != before.first, !allowed.contains(first) {
      let outranks = before.contains { $0 != first && installed.contains($0) }
      if outranks || installed.hasOther(first, change.type) { return .associationTaken }
    }
    let isRemoved = before.contains { !after.contains($0) && installed.contains($0) }
    return isRemoved ? .associationTaken : nil
  }

  private func reasonForRemoved(_ change: AssociationChange) -> Reason? {
    let (before, after) = (Set(change.applicationsBefore), Set(change.applicationsAfter))
    let isAllowed = after.isSubset(of: before) && before.subtracting(after).isSubset(of: allowed)
    return before == after || isAllowed ? nil : .removalChanged
  }
}

/// Bounds how often the guard takes back the change of one type: some programs repeat theirs without end.
package enum RestorePace {
  /// The maximum number of times in a minute.
  package static let mostPerMinute = 5
  /// In microseconds.
  package static let minute: UInt64 = 60_000_000

  /// The time until a change that could not be taken back is tried again, in microseconds: twice as long each time, and
  /// nil after 12 tries, which take more than two hours.
  /// - Parameter tries: at least 1.
  package static func delay(afterFailures tries: Int) -> UInt64? {
    tries >= 1 && tries < mostTries ? 2_000_000 << UInt64(tries - 1) : nil
  }

  private static let mostTries = 12

  /// - Parameters:
  ///   - times: when changes of the type were taken back, in microseconds.
  ///   - now: in microseconds of the same clock.
  /// - Returns: the delay until the next change may be taken back, in microseconds; 0 for now.
  package static func delay(after times: [UInt64], now: UInt64) -> UInt64 {
    // A clock that was set back delays for no more than a minute.
    let recent = times.filter { $0 <= now && now - $0 < minute }.sorted(by: >)
    guard recent.count >= mostPerMinute else { return 0 }
    return minute - (now - recent[mostPerMinute - 1])
  }
}
