internal import BusContract
internal import Commands
internal import DBus

/// Shows files in the desktop's file manager, through its interface `org.freedesktop.FileManager1`.
extension OpenCommand {
  /// Shows the operands, or without operands the designated application (`open -R -a NAME`).
  /// - Returns: the exit code of the first failure. The remaining files are shown nevertheless.
  func reveal(
    _ operands: [Operand], _ invocation: OpenInvocation
  ) throws(CommandFailure) -> ExitCode {
    var urls: [String] = []
    var first = ExitCode.success
    for operand in operands {
      do throws(CommandFailure) {
        urls.append(try fileURL(operand, isVerbatim: invocation.isVerbatim))
      } catch {
        if invocation.json { print(error, ["url": .string(operand.text)]) }
        output.complain((operands.count == 1 ? "" : "\(operand.text): ") + error.reason)
        if first == .success { first = error.code }
      }
    }
    if operands.isEmpty, let application = invocation.options.application {
      urls = [FilePath.url(try bundle(of: application, invocation))]
    }
    guard !urls.isEmpty else { return first }
    try show(urls, invocation)
    if invocation.json { for url in urls { output.print(JSON.text(["url": .string(url)])) } }
    return first
  }

  private func fileURL(
    _ operand: Operand, isVerbatim: Bool
  ) throws(CommandFailure) -> String {
    let url = try url(operand, isVerbatim: isVerbatim)
    guard url.lowercased().hasPrefix("file:") else {
      throw .usage("option '--reveal' takes files, not the URL '\(url)'")
    }
    return url
  }

  private func show(
    _ urls: [String], _ invocation: OpenInvocation
  ) throws(CommandFailure) {
    let message = Message.call(
      to: "org.freedesktop.FileManager1", path: "/org/freedesktop/FileManager1",
      interface: "org.freedesktop.FileManager1", member: "ShowItems",
      [.strings(urls), .string(activationToken ?? "")])
    do throws(ServiceFailure) {
      _ = try service.call(message, invocation.timeout ?? Service.patience)
    } catch {
      switch error {
      case .notRunning(let why):
        throw CommandFailure(
          .failed, "no file manager is on the session bus (org.freedesktop.FileManager1): \(why)")
      case .timedOut: throw CommandFailure(.failed, "the file manager did not answer in time")
      case .ended: throw CommandFailure(.failed, "the file manager ended before it answered")
      case .refused(let error) where service.remotePath() != nil:
        throw CommandFailure(
          .failed,
          "option '--reveal' shows files of this machine, and opens of this session go to another one; run it in a"
            + " session of this machine, without LAUNCH_SERVICES_REMOTE (\(error.text))"
        )
      case .refused(let error):
        throw CommandFailure(.failed, "the file manager refused: \(error.text)")
      case .noSessionBus, .turnedAway, .notTheDaemon, .remoteUnreachable, .noRemoteSocket, .cutOff:
        throw CommandFailure(error)
      }
    }
  }
}
