import BusContract
import Foundation
import LaunchServicesTesting
import Testing

private func isExecutable(_ path: String) -> Bool {
  FileManager.default.isExecutableFile(atPath: path)
}

/// The reason why two daemons of KDE Connect cannot run here; nil when they can.
private func problem() -> String? {
  let daemons = [
    "/usr/lib/x86_64-linux-gnu/libexec/kdeconnectd",
    "/usr/lib/aarch64-linux-gnu/libexec/kdeconnectd", "/usr/libexec/kdeconnectd",
    "/usr/lib/libexec/kdeconnectd",
  ]
  let needed = [
    ("kdeconnect", daemons), ("iproute2", ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"]),
    ("util-linux", ["/usr/bin/nsenter"]),
  ]
  let missing = needed.filter { !$0.1.contains(where: isExecutable) }.map(\.0)
  guard missing.isEmpty else { return "needs the packages \(missing)" }
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/timeout")
  process.arguments = [
    "10", "unshare", "--net", "sh", "-c",
    "PATH=$PATH:/usr/sbin ip link add va type veth peer name vb",
  ]
  process.standardError = FileHandle.nullDevice
  guard (try? process.run()) != nil else { return "needs the package util-linux" }
  process.waitUntilExit()
  return process.terminationStatus == 0
    ? nil : "needs the right to make network namespaces with virtual interfaces, as root has"
}

@MainActor
@Suite(
  "Two daemons of KDE Connect in two network namespaces", .timeLimit(.minutes(30)),
  .enabled(if: problem() == nil, "\(problem() ?? "")"))
struct KDEConnectTests {
  @Test("tel, sms and a web page arrive at the other device, and not once it has left")
  func arrive() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeSettings("<key>CallsFrom</key><string>Pocket Phone</string>")
      try await world.startDaemon()
      let folder = world.folder + "/devices"
      let pair = try world.startProcess(
        "/bin/sh",
        // The pipe stays open until the test ends; then the script ends its processes.
        [
          "-c",
          #"mkdir "$1"; mkfifo "$1/in"; exec 3<>"$1/in"; exec /usr/bin/python3 "$0" "$1" <&3"#,
          Fixture.path("kdeconnect-pair.py"), folder,
        ], environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
      let paired = try await pair.line(containing: "paired ")
      #expect(paired.hasSuffix(" Pocket Phone"), "\(pair.lines)")

      let agent = try await world.confirmationAgent()
      for url in ["tel:+1-408-555-5555", "sms:+14085555555"] {
        let open = world.client.opening(url)
        _ = try await agent.isAsked()
        agent.answer(true)
        let receipt = try await open.receipt()
        #expect(receipt.handler == "device:Pocket Phone" && receipt.outcome == .handedOverWarm)
        try await pair.line(containing: "received \(url)")
      }
      let page = "https://notes.example/chapter?number=1#end"
      let command = try world.startProcess("lsopen", ["--on", "Pocket Phone", page])
      #expect(try await command.hasEnded() == "exited with code 0", "\(command.lines)")
      try await pair.line(containing: "received \(page)")
      #expect(pair.lines.filter { $0.hasPrefix("received ") }.count == 3)

      let devices = try world.startProcess("lsregister", ["devices"])
      #expect(try await devices.hasEnded() == "exited with code 0")
      #expect(
        devices.lines.first?.hasPrefix("Pocket Phone  ") == true
          && devices.lines.first?.hasSuffix("kdeconnect  paired  reachable") == true,
        "\(devices.lines)")

      try "leave\n".write(toFile: folder + "/in", atomically: false, encoding: .utf8)
      try await pair.line(containing: "left")
      let refusal = await #expect(throws: Refusal.self) { try await world.client.open("tel:2") }
      #expect(refusal?.name == Refusal("DeviceUnavailable", "").name)
      #expect(
        refusal?.text.contains("Pocket Phone is not reachable") == true, "\(refusal?.text ?? "")")
      try await pair.stop()
    }
  }
}
