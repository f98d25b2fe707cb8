internal import LaunchRules

/// Who connects to a socket of the daemon.
enum PeerKind {
  /// Processes of the user.
  case processes
  /// A remote, which any process may stand for, such as ssh.
  case remote(RemoteName)
}
