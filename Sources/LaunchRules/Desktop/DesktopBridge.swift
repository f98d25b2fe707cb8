/// Constants of the program that connects Launch Services and freedesktop applications.
package enum DesktopBridge {
  package static let program = "launchservices-desktop"
  /// The key that marks exported entries.
  package static let mark = "X-LaunchServices-BundleIdentifier"
  /// The option that names the desktop application for all URLs of a process of the bridge.
  package static let applicationOption = "application"

  /// The command that passes URLs to one desktop application.
  package static func command(for desktopID: String) -> [String] {
    [program, "--\(applicationOption)=\(desktopID)"]
  }

  /// The option with the words of `HandOverTable.Entry.words`, one each time.
  package static let handOverOption = "hand-over"
  /// The option before the command line of an application without a desktop entry.
  package static let programOption = "program"
  /// The verb that prints why a desktop entry is no application.
  package static let unusedVerb = "unused"
  /// The option with the path of a file that a list leaves out, because its file system does not answer.
  package static let withoutOption = "without"

  /// The command that passes URLs to an application in the protocol that its property list names.
  /// - Parameters:
  ///   - identifier: the bundle identifier of the application.
  ///   - program: the command line, after which the URL is put; empty for an application whose desktop entry, with the
  ///     same name, has the command line.
  package static func command(
    for identifier: String, _ entry: HandOverTable.Entry, program: [String]
  ) -> [String] {
    command(for: program.isEmpty ? identifier + ".desktop" : identifier)
      + entry.words.map { "--\(handOverOption)=\($0)" }
      + (program.isEmpty ? [] : ["--\(programOption)"] + program)
  }

  /// Programs with desktop entries that lead back to Launch Services. Passing a URL to them would cause a
  /// loop.
  package static let ownPrograms: Set = [program, "lsopen"]

  /// Names that desktop entries use like schemes although they are not URL schemes.
  package static let pseudoSchemes = Set(["unknown", "url"].compactMap(URLScheme.init))

  /// Whether the bridge may claim the scheme for a freedesktop application.
  package static func mayClaim(_ scheme: URLScheme) -> Bool {
    !Registry.neverDispatched.contains(scheme) && !pseudoSchemes.contains(scheme)
  }
}

extension InstalledApplication {
  /// Whether the application is a system application that passes each URL to the default of the desktop, such as
  /// the Safari and the Mail that are installed with Launch Services.
  var standsForDesktop: Bool { isSystem && declaration.isDesktopBridge }

  /// Whether the bridge starts the program of the application, for one open: a desktop entry, or a property list that
  /// names a protocol.
  package var isStartedByBridge: Bool {
    origin == .desktopEntry || declaration.handOver != nil
  }
}

extension InstalledApplication {
  /// Whether the process that gets the URLs only passes them on to other programs.
  package var passesOn: Bool { isStartedByBridge || declaration.isDesktopBridge }
}

extension ApplicationDeclaration {
  /// The protocol that the property list names for the running application.
  package var handOver: HandOverTable.Entry? {
    guard isDesktopBridge, case .arguments(let arguments) = program else { return nil }
    let option = "--\(DesktopBridge.handOverOption)="
    return HandOverTable.Entry(
      arguments.prefix { $0 != "--" + DesktopBridge.programOption }
        .filter { $0.hasPrefix(option) }.map { String($0.dropFirst(option.count)) })
  }

  /// Whether the application is the bridge: its program, named without a folder, is found beside the daemon.
  /// A program with the same name elsewhere is not the bridge. Programs that the bridge starts do not have
  /// its identity, and the bridge is not exported as a desktop entry.
  package var isDesktopBridge: Bool {
    guard case .arguments(let arguments) = program else { return false }
    return arguments.first == DesktopBridge.program
  }
}
