/// Texts for the shells of a far machine. ssh gives one command line to the login shell there, which may be a POSIX
/// shell, fish or csh; a script is read by `sh` from standard input.
package enum RemoteShell {
  /// A command line that runs a script from standard input, in every login shell.
  package static let scriptFromInput = "exec sh"

  /// A command line that runs `lsopen` as a peer of the protocol on standard input and output, also where only login
  /// shells that are interactive have `~/.local/bin` in `PATH`.
  package static let relay =
    "exec sh -c 'PATH=\"$PATH:$HOME/.local/bin:/usr/local/bin\"; exec lsopen --stdio'"

  /// The option of `lsopen` that waits until a port there is no longer needed.
  package static let awaitCallback = "--await-callback"

  /// What ends the need for a port.
  package enum CallbackEnd: String, Hashable, Sendable {
    /// One answer to a browser, or what `closed` says.
    case once
    /// The program closes the port.
    case closed
  }

  /// A command line that runs until a port there is no longer needed.
  package static func awaiting(_ port: UInt16, until end: CallbackEnd) -> String {
    "exec sh -c 'PATH=\"$PATH:$HOME/.local/bin:/usr/local/bin\";"
      + " exec lsopen \(awaitCallback) \(port) \(end.rawValue)'"
  }

  /// The folder of the sockets, which only the user may enter, and the link to the newest of them, as assignments of a
  /// shell.
  private static let folder = """
    d=${XDG_RUNTIME_DIR:-$HOME/.local/state}/launch-services
    l=$d/forwarded
    """

  /// A script that makes room for a socket, removes the sockets of connections that have ended, and prints lines that
  /// `Place` and `unsafeFolder` read. In a folder that others may write to, they could put a socket of theirs in the place
  /// of this one. A socket of which the kernel has no listener is stale: ssh leaves it behind.
  /// - Parameters:
  ///   - marker: the first word of each printed line.
  ///   - ending: of `ForwardedSocket`, for the name of the socket.
  package static func preparation(marker: String, ending: String) -> String {
    """
    umask 077
    \(folder)
    mkdir -p "$d" || exit 1
    case $(ls -ld "$d") in
      d????-??-*) [ -O "$d" ] && chmod go= "$d";;
      *) false;;
    esac || { echo "\(marker) unsafe $d"; exit 0; }
    if [ -r /proc/net/unix ]; then
      for f in "$d"/\(ForwardedSocket.prefix)*; do
        [ -S "$f" ] && ! grep -qF " $f" /proc/net/unix && rm -f "$f"
      done
    fi
    s=$d/\(ForwardedSocket.prefix)\(ending)
    [ -d "$l" ] || ln -sfn "$s" "$l"
    echo "\(marker) socket $s"
    PATH=$PATH:$HOME/.local/bin:/usr/local/bin
    c=$(command -v lsopen) && echo "\(marker) lsopen $c"
    exit 0

    """
  }

  /// A script that removes the socket of a session, and points the link to another one that is left.
  package static func removal(of place: Place) -> String {
    """
    \(folder)
    s=\(quoted(place.socket))
    rm -f "$s"
    [ "$(readlink "$l")" = "$s" ] || exit 0
    rm -f "$l"
    for f in "$d"/\(ForwardedSocket.prefix)*; do [ -S "$f" ] && ln -sfn "$f" "$l"; done
    exit 0

    """
  }

  /// A word that a POSIX shell, fish and csh read as this text.
  package static func quoted(_ text: String) -> String {
    guard !text.isEmpty else { return "''" }
    var quoted = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", "/", ":", ",", "+", "@", "%":
        quoted.unicodeScalars.append(scalar)
      // A backslash would remove the end of the line.
      case "\n": quoted += "'\n'"
      case _ where scalar.isASCII:
        // fish reads a backslash before some letters and control characters as an escape, before these as the character.
        quoted += "\\"
        quoted.unicodeScalars.append(scalar)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted
  }

  /// The command line of the user's session: the command, or the login shell, with variables that lead opens here.
  /// - Parameters:
  ///   - words: of the command; ssh joins them with blanks, and so does this.
  ///   - place: what `preparation` has found.
  package static func session(_ words: [String], _ place: Place) -> String {
    var line = "exec env \(variable)=\(quoted(place.socket))"
    if let browser = place.browser { line += " BROWSER=\(quoted(browser))" }
    return words.isEmpty
      ? line + " $SHELL -l"
      : line + " $SHELL -c " + quoted(words.joined(separator: " "))
  }

  /// The variable that names the socket that opens are sent to.
  package static let variable = "LAUNCH_SERVICES_REMOTE"

  /// What the far machine has for a session.
  package struct Place: Hashable, Sendable {
    /// The absolute path of the socket to be forwarded. Nothing exists there.
    package let socket: String
    /// The absolute path of `lsopen`; nil when it is not in `PATH`.
    package let browser: String?

    package init(socket: String, browser: String?) {
      self.socket = socket
      self.browser = browser
    }

    /// Nil when the output of `preparation` does not have the line of the marker, or not an absolute path that a
    /// socket can have.
    /// - Parameter lines: all output, which begins with what login scripts print.
    package init?(lines: [String], marker: String) {
      var socket: String?
      var browser: String?
      for line in lines {
        guard let text = RemoteShell.text(of: line, after: marker) else { continue }
        if text.hasPrefix("socket /") { socket = String(text.dropFirst("socket ".count)) }
        if text.hasPrefix("lsopen /") { browser = String(text.dropFirst("lsopen ".count)) }
      }
      guard let socket, socket.utf8.count <= RemoteShell.longestSocketPath, !socket.contains(":")
      else { return nil }
      self.init(socket: socket, browser: browser)
    }
  }

  /// The folder in which `preparation` has made no room, because it is a symbolic link, belongs to another user, or others may
  /// write to it; nil when there is no such line.
  package static func unsafeFolder(lines: [String], marker: String) -> String? {
    for line in lines {
      if let text = text(of: line, after: marker), text.hasPrefix("unsafe /") {
        return String(text.dropFirst("unsafe ".count))
      }
    }
    return nil
  }

  /// In bytes, of Linux.
  package static let longestSocketPath = 107

  /// The text after the marker; nil for a line without the marker at its start.
  package static func text(of line: String, after marker: String) -> Substring? {
    line.hasPrefix(marker + " ") ? line.dropFirst(marker.count + 1) : nil
  }
}
