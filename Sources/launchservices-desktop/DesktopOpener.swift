internal import BusContract
internal import Commands
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

  private let activation: BusActivation
  private let running: RunningApplications
  /// The only application; nil for the user's defaults.
  private let only: BridgedApplication?
  private let programs: StartedPrograms

  /// - Parameter only: the application for all URLs; nil for the user's defaults.
  init(_ session: BusSession, _ only: BridgedApplication?, _ output: Output) {
    let overdue = OverdueAnswers()
    activation = BusActivation(session, overdue)
    running = RunningApplications(
      session, overdue, DesktopProgram.userFolders, output, declared: only?.declared)
    programs = StartedPrograms(running)
    self.only = only
  }

  /// What a program receives besides the URLs.
  struct Surroundings {
    var token: String?
    /// The passes of the bridge, including this one; nil for the first.
    var hops: BridgeHops?
    /// Environment variables that the opener has chosen.
    var variables: [String: String] = [:]
    /// Called when an application that was started with the URL takes part in its protocol after the completion.
    var onReady: ((HandOver) -> Void)?
    /// Called when a program that was started with the URL, and that no process ran before, fails after the completion, within
    /// `StartedProgramRule.timeToReady`.
    var onFailure: ((HandOver.Failure) -> Void)?

    /// Another application gets no activation token, because a token is valid for one.
    var withoutToken: Surroundings { Surroundings(hops: hops, variables: variables) }

    /// The variables to set. One of them identifies the URL when the program opens it again.
    func environment(opening url: String?) -> [String: String?] {
      var all = variables.mapValues(String?.some)
      let scheme = url.flatMap { URLScheme(String($0.prefix { $0 != ":" })) }
      all.updateValue(
        scheme.map { (hops ?? BridgeHops($0, count: 1)).text }, forKey: BridgeHops.variable)
      return all
    }
  }

  /// Opens the URLs: one URL, or several files. `completion` is called exactly once, possibly before this method
  /// returns.
  func open(_ urls: [String], _ surroundings: Surroundings, completion: @escaping Completion) {
    do throws(DesktopFailure) {
      try open(groups(urls), surroundings, completion)
    } catch {
      completion(.failure(error))
    }
  }

  /// Starts the only application without a URL, or brings the application to the front.
  func openApplication(_ surroundings: Surroundings, completion: @escaping Completion) {
    do throws(DesktopFailure) {
      guard let only else { throw DesktopFailure("the bridge to desktop applications needs a URL") }
      let application = try installed(only)
      guard let bus = application.activationName.flatMap({ BusName($0) }),
        let peer = FreedesktopApplication(bus)
      else { return try programs.start(application, [], surroundings, completion) }
      activation.open([], with: application, peer, surroundings) { [self] in
        finish($0, application, [], surroundings, completion)
      }
    } catch {
      completion(.failure(error))
    }
  }

  /// The failure with which an open of the only application would end now, because another process has taken the place of the
  /// application. Nil without such a process, and when the application is not installed.
  func objection() async -> DesktopFailure? {
    guard let application = only?.installed else { return nil }
    guard let bus = application.activationName.flatMap({ BusName($0) }) else {
      return await running.objection(to: application)
    }
    return await activation.objection(to: application, bus)
  }

  /// Documents that one process gets.
  private struct Group {
    let application: DesktopApplication
    var urls: [String]
  }

  /// The URLs by application, in order. Only some programs take several at once.
  private func groups(_ urls: [String]) throws(DesktopFailure) -> [Group] {
    var groups: [Group] = []
    for url in urls {
      let application = try application(for: url)
      let takesSeveral = application.takesSeveral || application.activationName != nil
      let known = groups.firstIndex {
        takesSeveral && $0.application.identifier == application.identifier
      }
      if let known {
        groups[known].urls.append(url)
      } else {
        groups.append(Group(application: application, urls: [url]))
      }
    }
    return groups
  }

  /// Opens one group after the other. After a failure no further one is opened.
  private func open(
    _ groups: [Group], _ surroundings: Surroundings, _ completion: @escaping Completion
  ) {
    var known: [HandOver] = []
    func next(_ rest: ArraySlice<Group>) {
      guard let group = rest.first else {
        return completion(HandOver.combined(known).map { .success($0) } ?? .failure(Self.noURL))
      }
      let own = known.isEmpty ? surroundings : surroundings.withoutToken
      open(group.urls, with: group.application, own) { result in
        switch result {
        case .success(let handOver):
          known.append(handOver)
          next(rest.dropFirst())
        case .failure(let failure) where !known.isEmpty:
          // The opener may not repeat the whole.
          completion(
            .failure(
              DesktopFailure(
                "\(failure); of \(groups.count) documents, \(known.count) were opened before",
                mayHaveArrived: true)))
        case .failure(let failure): completion(.failure(failure))
        }
      }
    }
    next(groups[...])
  }

  private func open(
    _ urls: [String], with application: DesktopApplication, _ surroundings: Surroundings,
    _ completion: @escaping Completion
  ) {
    if let bus = application.activationName.flatMap({ BusName($0) }),
      let peer = FreedesktopApplication(bus)
    {
      return activation.open(urls, with: application, peer, surroundings) { [self] in
        finish($0, application, urls, surroundings, completion)
      }
    }
    guard let url = urls.first, urls.count == 1, !DocumentURL.isOne(url) else {
      return finish(.notTaken, application, urls, surroundings, completion)
    }
    Task {
      finish(
        await running.open(url, with: application, token: surroundings.token), application, urls,
        surroundings, completion)
    }
  }

  /// Starts a process if no running process has taken the URLs.
  private func finish(
    _ outcome: RunningApplications.Outcome, _ application: DesktopApplication, _ urls: [String],
    _ surroundings: Surroundings, _ completion: @escaping Completion
  ) {
    switch outcome {
    case .taken(let handOver): completion(.success(handOver))
    case .failed(let failure): completion(.failure(failure))
    case .notTaken:
      do throws(DesktopFailure) {
        try programs.start(application, urls, surroundings, completion)
      } catch {
        completion(.failure(error))
      }
    }
  }

  /// The only application, or the user's default.
  private func application(for url: String) throws(DesktopFailure) -> DesktopApplication {
    guard let only else { return try Self.preferredApplication(for: url) }
    return try installed(only)
  }

  private func installed(
    _ only: BridgedApplication
  ) throws(DesktopFailure) -> DesktopApplication {
    guard let application = only.installed else {
      throw DesktopFailure(
        only.program.isEmpty
          ? "the desktop application \(only.identifier) is not installed any more"
          : "the program \(only.program[0]) of \(only.identifier) cannot be started")
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

  private static let noURL = DesktopFailure("there is no URL to open")
}
