import LaunchRules
import Testing

@Suite("Why nothing was sent to a machine") struct UnsentReasonTests {
  @Test(
    "Each sentence names the machine that failed, what has happened and the next step",
    arguments: [
      (
        .noClient("ssh is not installed; install the package openssh-client"),
        "ssh cannot be started on this machine, so nothing was sent to build: ssh is not installed; install the package"
          + " openssh-client"
      ),
      (
        .noConnection("no route"),
        "build cannot be reached by ssh, so nothing was sent: no route; this must work without a question: ssh -o"
          + " BatchMode=yes build true"
      ),
      (
        .noCommand,
        "on build, ssh found no lsopen in PATH, ~/.local/bin and /usr/local/bin, so nothing was sent; copy it: ssh build"
          + #" 'mkdir -p .local/bin && cat >.local/bin/lsopen && chmod +x .local/bin/lsopen' <"$(command -v lsopen)""#
      ),
      (
        .noDaemon("launchservicesd does not run"),
        "on build, lsopen reached no launchservicesd, so nothing was sent; lsopen on build says: launchservicesd does not"
          + " run"
      ),
      (
        .noGreeting(seconds: 45),
        "build did not answer by ssh, so nothing was sent: there was no answer within 45 s; this must end soon: ssh -o"
          + " BatchMode=yes build true"
      ),
      (
        .noProtocol("wrote more than 64 KiB that is no answer of lsopen"),
        "build did not answer, so nothing was sent: the other side wrote more than 64 KiB that is no answer of lsopen; see"
          + " what the login scripts there print: ssh build true"
      ),
      (
        .busy(connections: 4, seconds: 60),
        "nothing was sent to build: 4 opens wait for an answer, and none has ended within 60 s; end them, or try again"
          + " later"
      ),
    ] as [(UnsentReason, String)])
  func sentence(_ reason: UnsentReason, _ sentence: String) {
    #expect(reason.sentence(about: "build") == sentence)
  }
}
