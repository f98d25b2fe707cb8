internal import Glibc

extension Testbed {
  /// Prints what a program that failed wrote, because the error says only how it ended.
  func showLog(of error: any Error) {
    let failures = ["LaunchFailed", "HandlerExited", "HandlerTimedOut"]
    guard let refusal = error as? Refusal, let daemon,
      let name = failures.first(where: { refusal.name.hasSuffix(".\($0)") })
    else { return }
    let lines = ["\(name); the daemon and its applications wrote last:"] + daemon.lines.suffix(20)
    let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
    unsafe write(STDERR_FILENO, bytes, bytes.count)
  }
}
