internal import CHost
internal import Glibc

/// Runs a program and blocks until it ends.
/// - Parameter milliseconds: The time limit, after which the program gets SIGKILL.
package func runToEnd(
  _ launch: Launch, atMost milliseconds: Int32
) throws(SpawnError) -> ProcessEnd {
  let pid = try spawn(launch)
  let descriptor = chost_pidfd_open(pid)
  if descriptor >= 0 {
    var ended = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    if unsafe poll(&ended, 1, milliseconds) != 1 { kill(pid, SIGKILL) }
    close(descriptor)
  }
  var status: Int32 = 0
  while unsafe waitpid(pid, &status, 0) < 0 {
    guard errno == EINTR else { return .unknown }
  }
  return ProcessEnd(waitStatus: status)
}
