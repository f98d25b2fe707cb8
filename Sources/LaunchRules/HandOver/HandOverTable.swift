/// The applications whose running process is asked to open a URL, and the protocol of each. Every entry was tried with the
/// application. For other applications a second process is started, which forwards the URL as the application likes.
package enum HandOverTable {
  package struct Entry: Hashable, Sendable {
    package var handOver: HandOverProtocol
    package var names: Names
  }

  /// The bus names of an application.
  package enum Names: Hashable, Sendable {
    case exactly(String)
    /// Names that begin with this text.
    case beginning(String)
    /// The name, or the name followed by `-` and a number, of which several may be owned.
    case numbered(String)
    /// The name of the default profile of a Mozilla application.
    /// - Parameters:
    ///   - application: the part of the name.
    ///   - folder: the folder of its profiles, below the home folder.
    case profile(of: String, in: String)

    /// Whether an application of this entry may own the name. For a profile, names are compared with
    /// `MozillaRemote.name`.
    package func include(_ name: String) -> Bool {
      switch self {
      case .exactly(let text): name == text
      case .beginning(let text): name.hasPrefix(text)
      case .numbered(let text):
        name == text
          || name.hasPrefix(text + "-") && name.dropFirst(text.count + 1).allSatisfy(\.isNumber)
            && name.count > text.count + 1
      case .profile: false
      }
    }
  }

  /// - Parameter identifier: a desktop file ID.
  package static func entry(for identifier: String) -> Entry? { entries[identifier] }

  private static let entries: [String: Entry] = {
    let firefox = Entry(
      handOver: .mozillaRemote, names: .profile(of: "firefox", in: ".mozilla/firefox"))
    let mumble = Entry(handOver: .mumble, names: .exactly("net.sourceforge.mumble.mumble"))
    let hexchat = Entry(handOver: .hexchat, names: .exactly("org.hexchat.service"))
    return [
      "transmission-gtk.desktop": Entry(
        handOver: .gtkOpen, names: .beginning("com.transmissionbt.transmission_")),
      "im.dino.Dino.desktop": Entry(handOver: .gtkOpen, names: .exactly("im.dino.Dino")),
      "io.github.celluloid_player.Celluloid.desktop": Entry(
        handOver: .gtkCommandLine, names: .exactly("io.github.celluloid_player.Celluloid")),
      "org.kde.konversation.desktop": Entry(
        handOver: .kdeCommandLine, names: .numbered("org.kde.konversation")),
      "firefox-esr.desktop": firefox, "firefox.desktop": firefox,
      "mumble.desktop": mumble, "info.mumble.Mumble.desktop": mumble,
      "hexchat.desktop": hexchat, "io.github.Hexchat.desktop": hexchat,
    ]
  }()
}
