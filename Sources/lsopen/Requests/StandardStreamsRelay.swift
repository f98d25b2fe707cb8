internal import BusContract
internal import Commands
internal import DBus
internal import Glibc

/// Performs `lsopen --stdio`, which another machine runs by ssh: relays the calls from standard input to the daemon, and
/// writes the replies to standard output. See `RelayContract`.
struct StandardStreamsRelay {
  static let option = "--stdio"

  /// ssh starts this program without the variables of the user's session.
  private static let noRuntimeFolder =
    "; XDG_RUNTIME_DIR is not set for commands of ssh there: enable pam_systemd for sshd, or set the variable with"
    + " SetEnv in sshd_config"

  let service: Service
  /// Whether `XDG_RUNTIME_DIR` is set, in which a session bus and a direct socket are found.
  var hasRuntimeFolder = true
  /// Returns the next bytes; none at the end of the input.
  let read: () -> [UInt8]
  /// Returns false when the reader has closed standard output.
  let write: ([UInt8]) -> Bool

  func run() -> ExitCode {
    do throws(ServiceFailure) {
      _ = try service.call(Contract.ping(), Service.patience)
    } catch {
      // A refusal of the ping is an answer of the daemon, too.
      if case .refused = error {
      } else {
        let reason = CommandFailure(error).reason + (hasRuntimeFolder ? "" : Self.noRuntimeFolder)
        _ = write(Array("\(RelayContract.refusal)\(reason)\n".utf8))
        return .serviceUnreachable
      }
    }
    guard write(Array("\(RelayContract.greeting)\n".utf8)) else { return .failed }
    var messages = MessageStream(atMost: RelayContract.mostMessageBytes)
    while true {
      switch messages.next() {
      case .unusable: return .usage
      case .message(let call): guard relay(call) else { return .failed }
      case .incomplete:
        let bytes = read()
        guard !bytes.isEmpty else { return .success }
        messages.add(bytes)
      }
    }
  }

  /// Returns false when there is no reply, because the daemon has ended: the other machine asks what has become of the
  /// call.
  private func relay(_ call: borrowing Message) -> Bool {
    guard RelayContract.mayRelay(call) else {
      return write(
        call.reply(
          BusError(
            .accessDenied, "a relay passes on only opens of URLs")
        ).marshalled(serial: call.serial))
    }
    do throws(ServiceFailure) {
      let values = try service.call(call.copy(), nil)
      return write(call.reply(values).marshalled(serial: call.serial))
    } catch {
      guard case .refused(let refusal) = error, !error.hasLostDaemon else { return false }
      return write(call.reply(refusal).marshalled(serial: call.serial))
    }
  }
}

extension StandardStreamsRelay {
  /// Reads and writes the streams of this process.
  init(_ service: Service) {
    // Writing to a stream that nobody reads returns an error.
    signal(SIGPIPE, SIG_IGN)
    self.init(
      service: service,
      hasRuntimeFolder: ProcessArguments.environment("XDG_RUNTIME_DIR") != nil,
      read: {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe bytes.withUnsafeMutableBytes {
          unsafe Glibc.read(STDIN_FILENO, $0.baseAddress, $0.count)
        }
        return Array(bytes.prefix(max(0, count)))
      },
      write: { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
          let count = unsafe rest.withUnsafeBytes {
            unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
          }
          guard count > 0 else { return false }
          rest = rest.dropFirst(count)
        }
        return true
      })
  }
}
