internal import Commands
internal import FoundationEssentials
internal import Glibc
internal import Host

/// Debian applications that run: the time from the start of a command until the application has the URL, for `lsopen`
/// beside `gio open` and `xdg-open`.
@MainActor
enum ApplicationFigures {
  /// A missing program leaves the rows of its application without figures.
  static func measure(rounds: Int, into table: inout Table) throws(CommandFailure) {
    for application in DesktopProgram.all {
      guard application.missing.isEmpty else {
        table.add(
          application.name,
          missing: "needs the packages \(application.missing.joined(separator: " "))")
        continue
      }
      let screen = try BenchScreen(application)
      defer { screen.end() }
      let first = try screen.url()
      _ = try screen.time("/usr/bin/gio", ["open"], opening: first, seconds: 60)
      let commands = [
        ("gio open", "/usr/bin/gio", ["open"]), ("xdg-open", "/usr/bin/xdg-open", []),
        ("lsopen", BenchWorld.products + "/lsopen", []),
      ]
      var times = [[Double]](repeating: [], count: commands.count)
      for round in -1..<rounds {
        for (index, command) in commands.enumerated() {
          let time = try screen.time(command.1, command.2, opening: try screen.url(), seconds: 30)
          if round >= 0 { times[index].append(time * 1000) }
        }
      }
      let figures = times.map(Figure.init)
      for (index, command) in commands.enumerated() {
        let row = "\(command.0), until \(application.name) has the URL"
        if index < 2 {
          table.add(row, figures[index], unit: "ms")
        } else {
          table.add(row, figures[index], unit: "ms", over: figures[0], "gio open")
          table.add(row, figures[index], unit: "ms", over: figures[1], "xdg-open")
        }
      }
    }
  }
}

/// An application of Debian for the benchmark.
struct DesktopProgram {
  var name: String
  var package: String
  var program: String
  var exec: String
  var scheme: String
  /// Files below the home folder.
  var files: [String: String]

  /// The packages that are not installed.
  var missing: [String] {
    let needed = [
      (program, package), ("/usr/bin/Xvfb", "xvfb"), ("/usr/bin/python3", "python3"),
      ("/usr/bin/gio", "libglib2.0-bin"), ("/usr/bin/xdg-open", "xdg-utils"),
      ("/usr/bin/update-desktop-database", "desktop-file-utils"),
    ]
    return needed.filter { unsafe access($0.0, X_OK) != 0 }.map(\.1)
  }

  static var all: [DesktopProgram] {
    [
      DesktopProgram(
        name: "Transmission (GTK)", package: "transmission-gtk",
        program: "/usr/bin/transmission-gtk",
        exec: "/usr/bin/transmission-gtk %U", scheme: "magnet",
        files: [
          "config/transmission/settings.json":
            #"{"user-has-given-informed-consent": true, "show-options-window": false, "start-added-torrents": false}"#
        ]),
      DesktopProgram(
        name: "Firefox", package: "firefox-esr", program: "/usr/bin/firefox-esr",
        exec: "/usr/lib/firefox-esr/firefox-esr %u", scheme: "http",
        files: [
          ".mozilla/firefox/profiles.ini":
            "[Profile0]\nName=test\nIsRelative=1\nPath=test\nDefault=1\n\n[General]\nVersion=2\n",
          ".mozilla/firefox/test/user.js": """
          user_pref("datareporting.policy.dataSubmissionEnabled", false);
          user_pref("browser.aboutwelcome.enabled", false);
          user_pref("browser.shell.checkDefaultBrowser", false);
          """,
        ]),
      DesktopProgram(
        name: "Chromium", package: "chromium", program: "/usr/bin/chromium",
        // Chromium refuses to run as root with a sandbox of its own.
        exec:
          "/usr/bin/chromium --no-first-run --disable-gpu\(geteuid() == 0 ? " --no-sandbox" : "") %U",
        scheme: "http", files: [:]),
    ]
  }

  /// The desktop file ID for which a protocol is built in.
  var identifier: String { package }
}

/// A private display and bus with a daemon, and one application as the default of its scheme.
@MainActor
final class BenchScreen {
  private let folder: String
  private let application: DesktopProgram
  private var environment: [String: String]
  private var processes: [Int32] = []
  /// The TCP port of the web server.
  private var port = ""
  private var number = 0

  init(_ application: DesktopProgram) throws(CommandFailure) {
    self.application = application
    folder = FileManager.default.temporaryDirectory.path + "/lsbench-\(randomToken().prefix(12))"
    environment = BenchWorld.environment(folder, "unix:path=\(folder)/bus")
    environment["XDG_DATA_DIRS"] = "/usr/share"
    do {
      try prepare()
    } catch {
      end()
      throw error
    }
  }

  private func prepare() throws(CommandFailure) {
    let scheme = "x-scheme-handler/\(application.scheme)"
    let entry = application.identifier + ".desktop"
    var files = application.files
    files["data/applications/\(entry)"] =
      "[Desktop Entry]\nType=Application\nName=Bench\nExec=\(application.exec)\nMimeType=\(scheme);\n"
    files["config/mimeapps.list"] = "[Default Applications]\n\(scheme)=\(entry)\n"
    do throws(FileError) {
      for (path, text) in files { try AtomicFile.write(Array(text.utf8), to: folder + "/" + path) }
    } catch {
      throw CommandFailure(.failed, error.description)
    }
    _ = unsafe mkdir(folder + "/runtime", 0o700)
    try start("/usr/bin/Xvfb", ["-displayfd", "1", "-nolisten", "tcp", "-noreset"], log: "display")
    environment["DISPLAY"] =
      ":" + (try text(in: "display") { $0.hasSuffix("\n") }).prefix { $0 != "\n" }
    try start(
      "/usr/bin/dbus-daemon",
      [
        "--session", "--nofork", "--nopidfile", "--address=unix:path=\(folder)/bus",
        "--print-address=1",
      ],
      log: "bus.log")
    _ = try text(in: "bus.log") { $0.contains("unix:path") }
    try start(
      "/usr/bin/python3", ["-u", "-m", "http.server", "--bind", "127.0.0.1", "0"], log: "web")
    let line = try text(in: "web") { $0.contains(" port ") }
    port = String(line.split(separator: " ").drop { $0 != "port" }.dropFirst().first ?? "")
    try run("/usr/bin/update-desktop-database", [folder + "/data/applications"])
    try start(BenchWorld.products + "/launchservicesd", [], log: "daemon.log")
    _ = try text(in: "daemon.log") { $0.contains("ready") }
  }

  func end() {
    // The applications that were started are found by their home folder.
    for process in ProcessDetails.ofThisUser()
    where process.environmentAtStart["HOME"] == folder && !processes.contains(process.pid) {
      kill(process.pid, SIGKILL)
    }
    for pid in processes.reversed() {
      kill(pid, SIGTERM)
      waitpid(pid, nil, 0)
    }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// A URL that was not opened before.
  func url() throws(CommandFailure) -> String {
    number += 1
    let text = String(number)
    let hash = String(repeating: "0", count: 40 - text.count) + text
    return application.scheme == "http"
      ? "http://127.0.0.1:\(port)/page\(hash)" : "magnet:?xt=urn:btih:\(hash)&dn=t\(number)"
  }

  /// Seconds from the start of the command until the application has the URL. Returns when the command has ended.
  /// - Parameter seconds: the time after which the measurement fails.
  func time(
    _ executable: String, _ arguments: [String], opening url: String, seconds: Int
  ) throws(CommandFailure) -> Double {
    let start = ContinuousClock.now
    let pid = try spawnCommand(executable, arguments + [url], log: "commands.log")
    var arrival: ContinuousClock.Instant?
    while arrival == nil {
      if hasArrived(url) { arrival = ContinuousClock.now }
      if ContinuousClock.now - start > .seconds(seconds) { break }
      usleep(500)
    }
    guard let arrival else {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
      throw CommandFailure(
        .failed, "\(application.name) did not get the URL of \(executable) within \(seconds) s")
    }
    waitpid(pid, nil, 0)
    return (arrival - start) / .seconds(1)
  }

  private func hasArrived(_ url: String) -> Bool {
    guard application.scheme == "http" else {
      let hash = url.dropFirst("magnet:?xt=urn:btih:".count).prefix(40)
      return unsafe access("\(folder)/config/transmission/torrents/\(hash).torrent", F_OK) == 0
    }
    let path = url.split(separator: "/").last ?? ""
    return contents("web").contains("GET /\(path)")
  }

  private func contents(_ log: String) -> String {
    let bytes = try? RegularFile.read(folder + "/" + log, atMost: 1 << 20).bytes
    return bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private func text(
    in log: String, until isComplete: (String) -> Bool
  ) throws(CommandFailure) -> String {
    for _ in 0..<3000 {
      let text = contents(log)
      if isComplete(text) { return text }
      usleep(10_000)
    }
    throw CommandFailure(.failed, "\(folder)/\(log) does not say that its program is ready")
  }

  private func run(_ executable: String, _ arguments: [String]) throws(CommandFailure) {
    let pid = try spawnCommand(executable, arguments, log: "commands.log")
    waitpid(pid, nil, 0)
  }

  private func start(
    _ executable: String, _ arguments: [String], log: String
  ) throws(CommandFailure) {
    processes.append(try spawnCommand(executable, arguments, log: log))
  }

  private func spawnCommand(
    _ executable: String, _ arguments: [String], log: String
  ) throws(CommandFailure) -> Int32 {
    do throws(SpawnError) {
      return try spawn(
        Launch(
          executable: executable, arguments: arguments, environment: environment,
          workingDirectory: folder, standardOutput: .file(folder + "/" + log),
          standardError: .file(folder + "/" + log)))
    } catch {
      throw CommandFailure(.failed, error.description)
    }
  }
}
