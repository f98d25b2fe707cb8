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

  /// The group of the default applications, in the MIME applications specification of freedesktop.org.
  package static let defaults = "Default Applications"
  package static let added = "Added Associations"

  /// The desktop file ID of the application that the change makes the default; nil if the default is the same.
  package var newDefault: String? {
    guard group == Self.defaults, let first = after.flatMap({ DefaultList($0).files.first }),
      first != before.flatMap({ DefaultList($0).files.first })
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

/// Decides which changed defaults the guard takes back.
///
/// Desktops and `gio mime` also add the chosen application to `Added Associations`; `xdg-mime`, which programs call
/// to promote themselves, does not. `xdg-settings set default-url-scheme-handler` of xdg-utils 1.1.3 makes the
/// application the default for `text/html`, too (xdg-utils issue 180).
package struct DefaultsGuardRule: Sendable {
  /// An application and a type for which the user has undone that the application became the default.
  package struct Undone: Codable, Hashable, Sendable {
    package let type: String
    package let application: String

    package init(type: String, application: String) {
      (self.type, self.application) = (type, application)
    }
  }

  /// Why a default is taken back.
  package enum Reason: String, Codable, Hashable, Sendable {
    /// The application became the default for a scheme and, with it, for a type of web pages.
    case webPagesWithScheme = "web-pages-with-scheme"
    /// The application became the default for a scheme and, with it, for a type that its entry does not declare.
    case undeclaredTypeWithScheme = "undeclared-type-with-scheme"
    /// The user has undone the same change before, or the guard has.
    case undoneBefore = "undone-before"
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
  ///   - changes: the changes of one file.
  ///   - associations: the lines of the file after the changes.
  ///   - declares: whether the desktop entry of an application declares a type.
  /// - Returns: the changes to take back.
  package func restored(
    _ changes: [AssociationChange], in associations: Associations,
    declares: (_ application: String, _ type: String) -> Bool
  ) -> [(change: AssociationChange, reason: Reason)] {
    changes.compactMap { change in
      guard let application = change.newDefault, !allowed.contains(application),
        !isChosenByUser(application, for: change.type, in: associations)
      else { return nil }
      if undone.contains(Undone(type: change.type, application: application)) {
        return (change, .undoneBefore)
      }
      let schemes = changes.filter { $0.newDefault == application }
        .compactMap { SchemeType.scheme(of: $0.type)?.text }
      guard SchemeType.scheme(of: change.type) == nil, !schemes.isEmpty else { return nil }
      if !declares(application, change.type) { return (change, .undeclaredTypeWithScheme) }
      let isBrowser = schemes.contains(where: Self.browserSchemes.contains)
      return Self.webTypes.contains(change.type) && !isBrowser
        ? (change, .webPagesWithScheme) : nil
    }
  }

  private func isChosenByUser(
    _ application: String, for type: String, in associations: Associations
  ) -> Bool {
    guard let added = associations.groups[AssociationChange.added]?[type] else { return false }
    return DefaultList(added).files.contains(application)
  }
}
