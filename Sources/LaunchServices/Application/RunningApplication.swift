internal import BusContract
internal import DBus
internal import FoundationEssentials
internal import LaunchRules

/// Calls the methods of the application delegate and of the scene delegate.
@MainActor final class RunningApplication {
  private let application: Application
  private let delegate: any ApplicationDelegate
  private var memory = RequestMemory()
  /// The quick actions in progress, by request, with the completions of repeated calls.
  private var performing: [UInt64: [(Bool) -> Void]] = [:]
  /// Nil in an application without scenes.
  private(set) var scene: Scene?

  init(_ delegate: any ApplicationDelegate, of application: Application) {
    self.delegate = delegate
    self.application = application
    application.delegate = delegate
  }
}

// MARK: - Launching

extension RunningApplication {
  /// Calls the launch methods with the options from the answer to the check-in (R5.2, R5.13).
  func finishLaunching(_ checkIn: Options) throws(StartFailure) -> LaunchAnswers {
    guard let connection = checkIn[Key.connectionOptions]?.asOptions else {
      let options = launchOptions(checkIn[Key.launchOptions]?.asOptions ?? [:])
      return callLaunchMethods(options)
    }
    guard let sceneDelegate = sceneDelegateClass(of: delegate) else {
      throw .noSceneDelegate(in: type(of: delegate))
    }
    let answers = callLaunchMethods(nil)
    let scene = Scene(
      session: SceneSession(persistentIdentifier: "main"), delegate: sceneDelegate.init())
    self.scene = scene
    scene.delegate.scene(
      scene, willConnectTo: scene.session, options: connectionOptions(connection))
    return answers
  }

  /// The class that the delegate declares: as optional or not, as any class or as one.
  private func sceneDelegateClass<Delegate: ApplicationDelegate>(
    of delegate: Delegate
  ) -> (any SceneDelegate.Type)? {
    // The type makes this the declaration of the delegate, not the default implementation.
    let declared: Delegate.SceneDelegateClass = Delegate.sceneDelegate
    return declared as? any SceneDelegate.Type
  }

  private func callLaunchMethods(
    _ options: [Application.LaunchOptionsKey: Any]?
  ) -> LaunchAnswers {
    let will = DelegateMethod.willFinishLaunching.answer(of: delegate) {
      delegate.application(application, willFinishLaunchingWithOptions: options)
    }
    let did = DelegateMethod.didFinishLaunching.answer(of: delegate) {
      delegate.application(application, didFinishLaunchingWithOptions: options)
    }
    if did == nil { delegate.applicationDidFinishLaunching(application) }
    return LaunchAnswers(will: will, did: did)
  }

  /// Nil when the application was launched without a URL or quick action (R5.6).
  private func launchOptions(_ options: Options) -> [Application.LaunchOptionsKey: Any]? {
    var result: [Application.LaunchOptionsKey: Any] = [:]
    result[.url] = options[Key.url]?.asString.flatMap { ArrivingURL($0).url }
    result[.userActivityDictionary] = options[Key.userActivityType]?.asString.map {
      [Application.LaunchOptionsKey.userActivityType: $0 as Any]
    }
    result[.sourceApplication] = options[Key.sourceApplication]?.asString
    result[.annotation] = options[Key.annotation]?.propertyListValue
    result[.shortcutItem] = shortcutItem(options)
    result[.launchImage] = options[Key.launchImage]?.asString
    result[.hidden] = options[Key.hidden]?.asBoolean
    result[.fresh] = options[Key.fresh]?.asBoolean
    return result.isEmpty ? nil : result
  }

  private func connectionOptions(_ options: Options) -> Scene.ConnectionOptions {
    let urls = ArrivingURL.list(options[Key.urlContexts])
    memory.record(urls.first?.request, urls.map { _ in true })
    let activities = ArrivingActivity.list(options[Key.userActivities])
    for activity in activities { memory.record(activity.request, true) }
    memory.record(options[Key.request]?.asUInt64, true)
    return Scene.ConnectionOptions(
      urlContexts: Set(urls.compactMap(\.context)),
      userActivities: Set(activities.compactMap(\.userActivity)),
      shortcutItem: shortcutItem(options),
      sourceApplication: options[Key.sourceApplication]?.asString
        ?? urls.first?.sourceApplication,
      launchImage: options[Key.launchImage]?.asString,
      isHidden: options[Key.hidden]?.asBoolean ?? false,
      isFresh: options[Key.fresh]?.asBoolean ?? false)
  }

  private func shortcutItem(_ options: Options) -> ApplicationShortcutItem? {
    options[Key.shortcutItem]?.asString.map { type in
      let details = options[Key.shortcutItemDetails]?.asOptions ?? [:]
      return ApplicationShortcutItem(QuickAction(type: type, details: details))
    }
  }
}

// MARK: - Deliveries

extension RunningApplication {
  /// Passes the URLs to the delegate in order.
  /// - Parameter urls: of one request.
  /// - Returns: for each URL, whether it was handled; false when the application implements no method for it.
  func open(_ urls: [ArrivingURL]) -> [Bool] {
    guard let first = urls.first else { return [] }
    if let known = memory.answers(to: first.request, isRepeated: first.isRepeated),
      known.count == urls.count
    {
      return known
    }
    let answers = handOver(urls)
    memory.record(first.request, answers)
    return answers
  }

  private func handOver(_ urls: [ArrivingURL]) -> [Bool] {
    guard !urls.isEmpty else { return [] }
    guard let scene else { return openTogether(urls) ?? urls.map(open) }
    let contexts = urls.map(\.context)
    let delivered = Set(contexts.compactMap { $0 })
    guard !delivered.isEmpty else { return urls.map { _ in false } }
    let answer: Void? = DelegateMethod.sceneOpen.answer(of: scene.delegate) {
      scene.delegate.scene(scene, openURLContexts: delivered)
    }
    return contexts.map { $0 != nil && answer != nil }
  }

  /// Nil when a URL is not a document, or the application does not implement the method for several URLs.
  private func openTogether(_ arriving: [ArrivingURL]) -> [Bool]? {
    guard arriving.allSatisfy(\.isDocument) else { return nil }
    let urls = arriving.map(\.url)
    let answer: Void? = DelegateMethod.openTogether.answer(of: delegate) {
      delegate.application(application, open: urls.compactMap(\.self))
    }
    return answer.map { urls.map { $0 != nil } }
  }

  /// - Returns: whether the activity was handled; false when the application implements no method for it.
  func continueActivity(_ arriving: ArrivingActivity) -> Bool {
    if let known = memory.answer(to: arriving.request, isRepeated: arriving.isRepeated) {
      return known
    }
    let answer = arriving.userActivity.map(handOver) ?? false
    memory.record(arriving.request, answer)
    return answer
  }

  private func handOver(_ activity: UserActivity) -> Bool {
    guard let scene else {
      return delegate.application(application, continue: activity, restorationHandler: { _ in })
    }
    let answer: Void? = DelegateMethod.sceneContinue.answer(of: scene.delegate) {
      scene.delegate.scene(scene, continue: activity)
    }
    return answer != nil
  }

  /// Calls the newest method that the application implements (R5.10).
  private func open(_ arriving: ArrivingURL) -> Bool {
    guard let url = arriving.url else { return false }
    return DelegateMethod.open.answer(of: delegate) {
      delegate.application(application, open: url, options: arriving.openURLOptions)
    }
      ?? DelegateMethod.openWithSource.answer(of: delegate) {
        delegate.application(
          application, open: url, sourceApplication: arriving.sourceApplication,
          annotation: arriving.annotation as Any)
      }
      ?? delegate.application(application, handleOpen: url)
  }

  /// Calls `completion` with the application's result, which may come later. A request that a new daemon
  /// repeats gets the first answer.
  func performQuickAction(
    _ action: QuickAction, request: UInt64? = nil, isRepeated: Bool = false,
    completion: @escaping (Bool) -> Void
  ) {
    if let known = memory.answer(to: request, isRepeated: isRepeated) { return completion(known) }
    if isRepeated, let request, performing[request] != nil {
      performing[request]?.append(completion)
      return
    }
    guard let request else { return perform(action, completion) }
    performing[request] = []
    perform(action) { [weak self] handled in
      completion(handled)
      self?.memory.record(request, handled)
      for completion in self?.performing.removeValue(forKey: request) ?? [] { completion(handled) }
    }
  }

  private func perform(_ action: QuickAction, _ completion: @escaping (Bool) -> Void) {
    let item = ApplicationShortcutItem(action)
    if let scene {
      scene.delegate.windowScene(
        scene, performActionFor: item, completionHandler: completion)
    } else {
      delegate.application(application, performActionFor: item, completionHandler: completion)
    }
  }
}

extension RunningApplication {
  /// `hasVisibleWindows` is always true, because the library does not know the application's windows.
  func reopen() {
    guard scene == nil else { return }
    _ = delegate.applicationShouldHandleReopen(application, hasVisibleWindows: true)
  }
}

// MARK: - States

extension RunningApplication {
  /// Calls the delegate for each transition between the current state and the new one (R5.1, R5.3).
  func change(to state: Application.State) {
    while application.applicationState != state {
      switch (application.applicationState, state) {
      case (.background, _):
        application.applicationState = .inactive
        scene.map { $0.delegate.sceneWillEnterForeground($0) }
          ?? delegate.applicationWillEnterForeground(application)
      case (.inactive, .background):
        application.applicationState = .background
        scene.map { $0.delegate.sceneDidEnterBackground($0) }
          ?? delegate.applicationDidEnterBackground(application)
      case (.inactive, _):
        application.applicationState = .active
        scene.map { $0.delegate.sceneDidBecomeActive($0) }
          ?? delegate.applicationDidBecomeActive(application)
      case (.active, _):
        application.applicationState = .inactive
        scene.map { $0.delegate.sceneWillResignActive($0) }
          ?? delegate.applicationWillResignActive(application)
      }
    }
  }
}
