/// The applications whose running process is asked to open a URL, and the protocol of each. Every entry was tried with the
/// application. For other applications a second process is started, which forwards the URL as the application likes.
package enum HandOverTable {
  package struct Entry: Hashable, Sendable {
    package var handOver: HandOverProtocol
    package var place: Place

    package init(handOver: HandOverProtocol, place: Place) {
      (self.handOver, self.place) = (handOver, place)
    }
  }

  /// Where a running application is reached: at a bus name, or at a socket.
  package enum Place: Hashable, Sendable {
    case exactly(String)
    /// Names that begin with this text.
    case beginning(String)
    /// The name, or the name followed by `-` and a number, of which several may be owned.
    case numbered(String)
    /// The name of the default profile of a Mozilla application.
    /// - Parameters:
    ///   - application: the part of the name.
    ///   - folders: the folders of its profiles, below the home folder; `.config/` at the beginning means the folder for
    ///     configuration.
    case profile(of: String, in: [String])
    /// The singleton of a Chromium browser or of an Electron application.
    /// - Parameter folder: the folder of its profiles, below the folder for configuration.
    case singleton(folder: String)
    /// A Unix socket.
    /// - Parameter path: below the folder for configuration.
    case socket(path: String)
    /// A Unix socket whose name has the checksum of a folder, in the folder for temporary files.
    /// - Parameter folder: below the folder for data for Telegram, and below the folder for configuration for
    ///   LibreOffice.
    case socketOf(folder: String)

    /// Whether the place is a bus name, and not a socket.
    package var isOnBus: Bool {
      switch self {
      case .exactly, .beginning, .numbered, .profile: true
      case .singleton, .socket, .socketOf: false
      }
    }

    /// Whether the place is this bus name. Names of profiles are made by `MozillaRemote.name`.
    package func include(_ name: String) -> Bool {
      switch self {
      case .exactly(let text): name == text
      case .beginning(let text): name.hasPrefix(text)
      case .numbered(let text):
        name == text
          || name.hasPrefix(text + "-") && name.dropFirst(text.count + 1).allSatisfy(\.isNumber)
            && name.count > text.count + 1
      case .profile, .singleton, .socket, .socketOf: false
      }
    }
  }

  /// - Parameter identifier: a desktop file ID.
  package static func entry(for identifier: String) -> Entry? { entries[identifier] }

  package static var identifiers: some Sequence<String> { entries.keys }

  private static let entries: [String: Entry] = {
    let firefox = Entry(
      handOver: .mozillaRemote,
      // Newer versions make new profiles in the second folder.
      place: .profile(of: "firefox", in: [".mozilla/firefox", ".config/mozilla/firefox"]))
    let mumble = Entry(handOver: .mumble, place: .exactly("net.sourceforge.mumble.mumble"))
    let hexchat = Entry(handOver: .hexchat, place: .exactly("org.hexchat.service"))
    return [
      "transmission-gtk.desktop": Entry(
        handOver: .gtkOpen, place: .beginning("com.transmissionbt.transmission_")),
      "im.dino.Dino.desktop": Entry(handOver: .gtkOpen, place: .exactly("im.dino.Dino")),
      "io.github.celluloid_player.Celluloid.desktop": Entry(
        handOver: .gtkCommandLine, place: .exactly("io.github.celluloid_player.Celluloid")),
      "org.kde.konversation.desktop": Entry(
        handOver: .kdeCommandLine, place: .numbered("org.kde.konversation")),
      "firefox-esr.desktop": firefox, "firefox.desktop": firefox,
      "mumble.desktop": mumble, "info.mumble.Mumble.desktop": mumble,
      "hexchat.desktop": hexchat, "io.github.Hexchat.desktop": hexchat,
      "chromium.desktop": Entry(
        handOver: .chromiumSingleton, place: .singleton(folder: "chromium")),
      "org.qbittorrent.qBittorrent.desktop": Entry(
        handOver: .qtLocalPeer, place: .socket(path: "qBittorrent/ipc-socket")),
      "org.telegram.desktop.desktop": Entry(
        handOver: .telegram, place: .socketOf(folder: "TelegramDesktop")),
      "libreoffice-startcenter.desktop": Entry(
        handOver: .libreOffice, place: .socketOf(folder: "libreoffice/4")),
    ]
  }()
}
