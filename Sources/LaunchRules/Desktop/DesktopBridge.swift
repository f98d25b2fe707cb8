/// The program that stands between Launch Services and the freedesktop world, as the rules know it.
package enum DesktopBridge {
  package static let program = "launchservices-desktop"
  /// The bundle of the schemes that only freedesktop applications handle.
  package static let identifier = "org.launchservices.desktop"
  /// The key by which an entry that was exported is known again.
  package static let mark = "X-LaunchServices-BundleIdentifier"
  /// Programs whose entries lead back here: a URL that is given to one would come back again and again.
  package static let ownPrograms: Set = [program, "lsopen"]

  /// Entries of the freedesktop world say so of these, and mean something else than a URL's scheme.
  package static let pseudoSchemes = Set(["unknown", "url"].compactMap(URLScheme.init))

  /// Whether the bridge may claim the scheme for a freedesktop application.
  package static func mayClaim(_ scheme: URLScheme) -> Bool {
    !Registry.neverDispatched.contains(scheme) && !pseudoSchemes.contains(scheme)
  }
}

extension ApplicationDeclaration {
  /// Its program is the bridge, which is found beside the daemon when it is named without a folder; a
  /// program elsewhere that is called the same is not. What the bridge starts are other applications: they do not have its
  /// identity, and it is not exported to where its own handlers come from.
  package var isDesktopBridge: Bool {
    guard case .arguments(let arguments) = program else { return false }
    return arguments.first == DesktopBridge.program
  }
}
