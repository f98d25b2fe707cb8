internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import DesktopEntries
internal import Host
internal import LaunchRules

/// Passes URLs to one desktop application, or to the user's default desktop applications, and reports the result
/// of each URL, not only that a program was started.
final class DesktopOpener {
  /// What is known of the URLs, or why they were not passed on.
  typealias Completion = (Result<HandOver, DesktopFailure>) -> Void

  private let session: BusSession
  private let running: RunningApplications
  /// The desktop file ID of the only application; nil for the user's defaults.
  private let only: String?
  /// Running programs, which this process reaps.
  private var programs: [Int32: ExitWatch] = [:]
  /// The programs whose end still decides about their URL. A program that ends with another status than 0 in this time
  /// has failed.
  private var observed: [Int32: (Deadline, Completion)] = [:]
  /// Timeout of calls; shorter than the daemon's default timeout for a delivery.
  private static let patience: Duration = .seconds(15)
  /// Environment variables that other programs must not receive.
  private static let secrets = [Contract.tokenVariable, Contract.identifierVariable]

  /// - Parameter only: the desktop file ID of the application for all URLs; nil for the user's defaults.
  init(_ session: BusSession, _ only: String?) {
    self.session = session
    running = RunningApplications(session, configuration: DesktopProgram.userFolders.configHome)
    self.only = only
  }

  /// The values that a program receives with a URL.
  private struct Way {
    var token: String?
    /// The value that identifies the URL when the program opens it again.
    var mark: String?
  }

  /// `completion` is called exactly once, possibly before this method returns.
  /// - Parameter hops: the number of times that the bridge has received the URL, including this time.
  func open(_ url: String, token: String?, hops: Int, completion: @escaping Completion) {
    let scheme = URLScheme(String(url.prefix { $0 != ":" }))
    let way = Way(token: token, mark: scheme.map { BridgeHops($0, count: hops).text })
    do throws(DesktopFailure) {
      let application = try application(for: url)
      if application.isDBusActivatable {
        activate(application, url, way, completion)
      } else if DocumentURL.isOne(url) {
        try start(application, url, way, completion)
      } else {
        handOver(url, way, to: application, completion)
      }
    } catch {
      completion(.failure(error))
    }
  }

  /// The only application, or the user's default.
  private func application(for url: String) throws(DesktopFailure) -> DesktopApplication {
    guard let only else { return try Self.preferredApplication(for: url) }
    guard let application = DesktopApplication(identifier: only) else {
      throw DesktopFailure("the desktop application \(only) is not installed any more")
    }
    return application
  }

  /// The user's default for the scheme; if it passes URLs back to Launch Services, the next application that does
  /// not.
  private static func preferredApplication(for url: String) throws(DesktopFailure)
    -> DesktopApplication
  {
    guard let scheme = URLScheme(String(url.prefix { $0 != ":" })) else {
      throw DesktopFailure("the URL has no scheme")
    }
    if scheme == .file { return try application(forFile: url) }
    let candidates = DesktopApplication.handlers(of: scheme)
    guard !candidates.isEmpty else {
      throw DesktopFailure("no desktop application handles the scheme \(scheme)")
    }
    guard let application = candidates.first(where: { !$0.leadsBack }) else {
      throw DesktopFailure(
        "every desktop application for the scheme \(scheme) passes URLs back to Launch Services; "
          + "install another or choose one with: gio mime \(SchemeType.text(of: scheme)) ID")
    }
    return application
  }
}

// MARK: - Files

extension DesktopOpener {
  /// The user's default for the MIME type of the file.
  private static func application(forFile url: String) throws(DesktopFailure) -> DesktopApplication
  {
    guard let known = ContentType.ofFile(url) else {
      throw DesktopFailure("the file does not exist or cannot be read")
    }
    // The user probably wants to edit the empty file.
    let type = known == ContentType.ofEmptyFile ? "text/plain" : known
    let candidates = DesktopApplication.handlers(ofType: type)
    guard !candidates.isEmpty else {
      throw DesktopFailure("no desktop application opens files of the MIME type \(type)")
    }
    guard let application = candidates.first(where: { !$0.leadsBack }) else {
      throw DesktopFailure(
        "every desktop application for the MIME type \(type) passes URLs back to Launch Services; "
          + "install another or choose one with: gio mime \(type) ID")
    }
    return application
  }

  /// Opens each URL with its own application, and reports the first failure.
  func open(
    _ urls: [String], token: String?, hops: Int, completion: @escaping Completion
  ) {
    var (waiting, failure) = (urls.count, DesktopFailure?.none)
    var known: [HandOver] = []
    for (place, url) in urls.enumerated() {
      // An activation token is valid for one application only.
      open(url, token: place == 0 ? token : nil, hops: hops) { result in
        switch result {
        case .success(let handOver): known.append(handOver)
        case .failure(let why): failure = failure ?? why
        }
        waiting -= 1
        guard waiting == 0 else { return }
        if let failure {
          completion(.failure(failure))
        } else {
          completion(HandOver.combined(known).map { .success($0) } ?? .failure(Self.noURL))
        }
      }
    }
  }

  private static let noURL = DesktopFailure("there is no URL to open")
}

// MARK: - Programs

extension DesktopOpener {
  /// Asks the running application, or else starts a process.
  private func handOver(
    _ url: String, _ way: Way, to application: DesktopApplication,
    _ completion: @escaping Completion
  ) {
    Task {
      switch await running.open(url, with: application, token: way.token) {
      case .taken(let handOver): completion(.success(handOver))
      case .failed(let failure): completion(.failure(failure))
      case .notTaken:
        do throws(DesktopFailure) {
          try start(application, url, way, completion)
        } catch {
          completion(.failure(error))
        }
      }
    }
  }

  private func start(
    _ application: DesktopApplication, _ url: String, _ way: Way,
    _ completion: @escaping Completion
  ) throws(DesktopFailure) {
    let name = application.identifier
    guard application.execTakesURIs || DocumentURL.isOne(url) && application.takesFiles else {
      throw DesktopFailure(
        "\(name) cannot be given a URL: its Exec has no %u or %U that would get it")
    }
    let before = RunningProgram.processes(application.programWords)
    let ranBefore = !before.isEmpty
    let owner = before.count == 1 ? before.first : nil
    let pid: Int32
    do throws(DesktopFailure) {
      pid = try application.start(
        url, token: way.token, setting: [BridgeHops.variable: way.mark], hiding: Self.secrets)
    } catch {
      throw DesktopFailure("\(name) could not be started: \(error)")
    }
    func known(hasEnded: Bool) -> Result<HandOver, DesktopFailure> {
      .success(
        StartedProgramRule.handOver(
          hasEnded: hasEnded, ranBefore: ranBefore,
          owner: owner.map { .init(pid: $0.pid, startTime: $0.startTime) }))
    }
    let patience = StartedProgramRule.patience(ranBefore: ranBefore)
    observed[pid] = (
      Deadline(after: patience) { [weak self] in
        self?.observed.removeValue(forKey: pid)?.1(known(hasEnded: false))
      }, completion
    )
    do throws(Errno) {
      programs[pid] = try ExitWatch(pid: pid) { [weak self] end in
        self?.programs[pid] = nil
        let failed = end != .exited(code: 0)
        self?.observed.removeValue(forKey: pid)?.1(
          failed ? .failure(DesktopFailure("\(name) \(end)")) : known(hasEnded: true))
      }
    } catch {
      // The program runs, but its exit status cannot be observed.
      observed.removeValue(forKey: pid)?.1(known(hasEnded: false))
    }
  }
}

// MARK: - Activation by the bus

extension DesktopOpener {
  private func activate(
    _ application: DesktopApplication, _ url: String, _ way: Way,
    _ completion: @escaping Completion
  ) {
    let name = application.identifier
    let suffix = ".desktop"
    guard name.hasSuffix(suffix), let bus = BusName(String(name.dropLast(suffix.count))),
      let peer = FreedesktopApplication(bus)
    else {
      return completion(
        .failure(DesktopFailure("\(name) is DBusActivatable, but its name is no bus name")))
    }
    // The bus is queried before the URL is sent: an application can return any error, and a URL that it has
    // received must not be passed to a second process.
    session.call(MessageBus.call("NameHasOwner", [.string(bus.text)]), deadline: Self.patience) {
      [weak self] answer in
      if (try? answer.get())?.first?.asBoolean == true {
        self?.send(url, way, to: peer, name, completion)
      } else {
        self?.startByBus(application, url, way, peer, completion)
      }
    }
  }

  private func startByBus(
    _ application: DesktopApplication, _ url: String, _ way: Way,
    _ peer: FreedesktopApplication, _ completion: @escaping Completion
  ) {
    let name = application.identifier
    let start = MessageBus.call("StartServiceByName", [.string(peer.name.text), .uint32(0)])
    session.call(start, deadline: Self.patience) { [weak self] answer in
      guard let self else { return completion(.failure(Self.noURL)) }
      guard case .failure(let error) = answer else {
        return send(url, way, to: peer, name, completion)
      }
      guard error.name == "org.freedesktop.DBus.Error.ServiceUnknown", application.execTakesURIs
      else { return completion(.failure(Self.failure(name, error))) }
      do throws(DesktopFailure) {
        try self.start(application, url, way, completion)
      } catch {
        completion(.failure(error))
      }
    }
  }

  private func send(
    _ url: String, _ way: Way, to peer: FreedesktopApplication, _ name: String,
    _ completion: @escaping Completion
  ) {
    let open = peer.open([url], activationToken: way.token, at: peer.name)
    session.call(open, deadline: Self.patience) { answer in
      if case .failure(let error) = answer {
        completion(.failure(Self.failure(name, error)))
      } else {
        completion(.success(HandOver(.delivered, by: .freedesktopApplication)))
      }
    }
  }

  private static func failure(_ name: String, _ error: BusError) -> DesktopFailure {
    error == .timedOut
      ? DesktopFailure("\(name) did not answer within \(patience); the URL may still arrive")
      : DesktopFailure("\(name) returned an error for the URL: \(error.text)")
  }
}
