internal import BusContract
internal import Commands
internal import DBus
internal import DBusMainLoop
internal import DaemonSettings
internal import Events
internal import FoundationEssentials
internal import Glibc
internal import Host
internal import LaunchRules
internal import LaunchServicesDaemon

/// The program. It requests the bus name before it reads the registry, so that activation, and the end of a
/// second daemon, do not wait for the registry; calls that arrive meanwhile wait.
@main
enum DaemonProgram {
  static func main() {
    let output = Output.ofProcess(command: "launchservicesd")
    do throws(CommandFailure) {
      try blockingSignals { () throws(Errno) in try StopSignals.block() }
      let configuration = try Configuration(
        arguments: try ProcessArguments.all(),
        environment: ProcessInfo.processInfo.environment)
      if configuration.asksForHelp { return printHelp(to: output) }
      if configuration.asksForVersion { return output.print("launchservicesd \(version)") }
      if let document = configuration.document {
        return output.print(
          document.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
            String.init))
      }
      try run(configuration)
    } catch {
      output.complain(error)
      exit(error.code.rawValue)
    }
  }

  private static func run(_ configuration: Configuration) throws(CommandFailure) {
    DescriptorLimit.raise()
    let journal = Journal(
      program: "launchservicesd", minimum: configuration.settings.log.level,
      environment: configuration.environment, linesPerSecond: configuration.settings.log.rate)
    for problem in configuration.settingsProblems {
      journal.log(problem.level, problem.message, ["file": configuration.settingsPath])
    }
    if let problem = configuration.launcherProblem {
      journal.warning(
        "the setting Launcher is ignored; applications are started as units of systemd",
        ["reason": problem])
    }
    let daemon: Daemon
    let session: BusSession
    let lock: KeptLock
    do throws(BusError) {
      SpareMemory.returnLargeBlocks()
      let connection = configuration.isDirectOnly ? nil : try Connection()
      let endIfSecond = {
        if let connection, isTaken(Contract.busName, connection) { endAsSecond(journal) }
      }
      // Checked before anything is read, so that a second daemon does not change the first daemon's state.
      endIfSecond()
      lock = KeptLock(
        configuration.stateFolder,
        StateLock.take(configuration.stateFolder, journal, while: endIfSecond), journal)
      for folder in [configuration.cacheFolder, configuration.stateFolder] {
        AtomicFile.removeUnfinished(in: folder)
        AtomicFile.removeUnfinished(in: folder + "/links")
      }
      if let connection {
        _ = try connection.callAndWait(
          MessageBus.addMatch(Daemon.busMatch))
        connection.limitReceivedDescriptors(256)
        // A reply waits for all replies before it, of which a busy bus reads two kilobytes at a time.
        connection.limitSocketBuffer(to: 1 << 14)
      } else {
        endIfSocketIsTaken(configuration, journal)
      }
      session = BusSession(connection)
      daemon = Daemon(session, configuration.daemon, journal)
    } catch {
      throw CommandFailure(
        .serviceUnreachable,
        "the session bus cannot be reached: \(error.text); run launchservicesd with dbus-run-session, or"
          + " with \(DaemonOption.directOnly.name) where there is no bus")
    }
    let signals = try blockingSignals { () throws(Errno) in
      try StopSignals { signal in
        switch signal {
        case .terminate, .interrupt, .quit:
          journal.notice("stopping", ["signal": "\(signal)"])
          daemon.stop()
          exit(0)
        case .hangUp: Task { await daemon.reload() }
        }
      }
    }
    daemon.onStateFolderLoss = { lock.lookAtPlace() }
    lock.onOther = { daemon.leaveRecord($0) }
    let orphans = adoptOrphans(configuration, journal)
    session.onDisconnect = {
      daemon.stop()
      endWithoutBus(journal)
    }
    Task {
      daemon.serve()
      if daemon.hasBus { own(Contract.busName, session, journal) }
      guard daemon.listen() || daemon.hasBus else { exit(1) }
      await daemon.start()
      journal.notice(
        "ready",
        daemon.hasBus
          ? ["name": Contract.busName.text] : ["socket": configuration.directSocket ?? ""])
      daemon.trim()
    }
    withExtendedLifetime((daemon, signals, lock, orphans)) { MainLoop.run() }
  }

  /// Whether a running daemon owns the name. A killed daemon owns it until the bus notices; waits up to 2 s.
  private static func isTaken(_ name: BusName, _ connection: Connection) -> Bool {
    for _ in 0..<200 {
      let owner = try? connection.callAndWait(MessageBus.processNumber(of: name)).first?.asUInt32
      guard let owner, let pid = Int32(exactly: owner) else { return false }
      if ProcessDetails(of: pid)?.hasEnded == false { return true }
      usleep(10_000)
    }
    return true
  }

  private static func blockingSignals<Result>(
    _ body: () throws(Errno) -> Result
  ) throws(CommandFailure) -> Result {
    do throws(Errno) {
      return try body()
    } catch {
      throw CommandFailure(.failed, "stop signals cannot be caught: \(error)")
    }
  }

  /// Adopts processes that outlive their applications, so that they can be attributed to them. Processes of
  /// units are not adopted.
  private static func adoptOrphans(_ configuration: Configuration, _ journal: Journal) -> Orphans? {
    guard configuration.settings.launch.launcher != .systemd else { return nil }
    do throws(Errno) {
      return try Orphans()
    } catch {
      journal.warning(
        "the application of orphaned processes cannot be identified",
        ["reason": "\(error)"])
      return nil
    }
  }

  private static func own(_ name: BusName, _ session: BusSession, _ journal: Journal) {
    do throws(BusError) {
      guard try session.requestName(name) == .owned else {
        endAsSecond(journal)
      }
    } catch {
      journal.error("the bus name cannot be acquired", ["name": name.text, "reason": error.text])
      exit(1)
    }
  }

  /// Without the bus, the session has ended: exits with 0. If the bus has only closed this connection, exits
  /// with 1, so that the service manager starts the daemon again.
  private static func endWithoutBus(_ journal: Journal) -> Never {
    guard (try? Connection()) != nil else {
      journal.notice("the session bus has ended; stopping")
      exit(0)
    }
    journal.error(
      "the session bus closed the connection, but is still there; this daemon ends so that it can be"
        + " started again")
    exit(1)
  }

  /// A daemon with another state folder may listen at the same socket.
  private static func endIfSocketIsTaken(_ configuration: Configuration, _ journal: Journal) {
    guard let path = configuration.directSocket, (try? Connection(socket: path)) != nil else {
      return
    }
    journal.error("another launchservicesd listens at \(path); this one ends")
    exit(1)
  }

  private static func endAsSecond(_ journal: Journal) -> Never {
    journal.error("another launchservicesd is running on this session bus; this one ends")
    exit(1)
  }

  private static func printHelp(to output: Output) {
    var help = HelpText(
      usage: ["launchservicesd [OPTION]..."],
      purpose: [
        "Keeps the registry of applications and carries URLs to their handlers.",
        "It runs until the session bus ends.",
      ])
    help.options(DaemonOption.allCases)
    help.section(
      "Files",
      [
        "$XDG_CONFIG_HOME/launch-services/config.plist",
        "settings; see launch-services.plist(5)",
        "$XDG_DATA_HOME/launch-services/Applications", "applications; also in $XDG_DATA_DIRS",
        "$XDG_RUNTIME_DIR/launch-services", "the socket for direct connections",
        "$XDG_STATE_HOME/launch-services", "registrations and choices that are remembered",
        "$XDG_CACHE_HOME/launch-services", "caches; may be removed at any time",
      ])
    help.print(to: output)
  }
}
