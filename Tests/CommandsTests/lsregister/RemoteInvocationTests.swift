import BusContract
import Commands
import DBus
import LaunchRules
import Testing

@testable import lsregister

@Suite("lsregister remote") struct RemoteInvocationTests {
  private static let box = RemoteName("box")!

  @Test(
    "send and keep take schemes and hosts",
    arguments: [
      ("vscode", "vscode"), ("com.example.app:", "com.example.app:"),
      ("Example.com", "example.com"),
      ("//wiki", "//wiki"), ("*.example.com", "*.example.com"),
    ])
  func rules(_ text: String, _ subject: String) throws {
    let expected = try #require(MachineRules.Subject(subject))
    for (word, areSent) in [("send", true), ("keep", false)] {
      let invocation = try RemoteInvocation([word, "box", text, "mailto"], allowed: [])
      #expect(
        invocation.action
          == .setRules(
            Self.box, [expected, .scheme(try #require(URLScheme("mailto")))], areSent: areSent))
    }
  }

  @Test("a rule that named another machine before is told")
  func moved() {
    let remotes = Value.optionsList([
      ["name": .string("devbox"), "sent": .strings(["vscode", "mailto"])],
      ["name": .string("laptop"), "sent": .strings(["zoommtg"])],
    ])
    let script = ScriptedService(.success([remotes]), .success([]))
    #expect(
      runRegister(["remote", "send", "laptop", "vscode", "zoommtg"], script)
        == Ending(
          .success,
          error: "lsregister: vscode was sent to devbox before, and is now sent to laptop\n"))
    #expect(script.calls.map(\.member) == ["Remotes", "SetRemoteRules"])
  }

  @Test(
    "what cannot be sent, and a command without a subject, is a usage error that names the forms",
    arguments: [
      (["send", "box", "https://example.com/"], "write 'vscode' or 'com.example.app:'"),
      (["send", "box", "javascript"], "handled only in the application that shows them"),
      (["send", "box", "file"], "files are not sent"),
      (["send", "box"], "lsregister remote send NAME (SCHEME | HOST)..."),
      (["send", "-box", "vscode"], "is not a name of a remote"),
    ])
  func refused(_ words: [String], _ part: String) {
    do throws(CommandFailure) {
      _ = try RemoteInvocation(words, allowed: [])
      Issue.record("\(words) is understood")
    } catch {
      #expect(error.code == .usage && error.reason.contains(part), "\(error.reason)")
    }
  }
}
