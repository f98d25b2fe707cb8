// Which caller may open what, and what the caller may learn about the handler.

extension AccessRule {
  /// Checks whether the caller may request this open at all.
  static func permit(_ question: OpenRule.Question, in registry: Registry) throws(OpenFailure) {
    switch question.subject {
    case .url, .document:
      try permitLegacy(question, in: registry)
      if question.device != nil, let sandboxed = registry.sandboxed(question.caller) {
        throw sandboxed.refusal("may not send URLs to a device")
      }
      guard let designated = question.designated,
        let sandboxed = registry.sandboxed(question.caller), sandboxed.identifier != designated
      else { return }
      // An iOS application may not know whether another application is installed (R3.3).
      throw sandboxed.refusal("may not choose the handler of a URL")
    case .application(let wanted):
      guard let sandboxed = registry.sandboxed(question.caller), sandboxed.identifier != wanted
      else { return }
      throw sandboxed.refusal("may open other applications only by URL")
    case .quickAction(let wanted):
      switch question.caller {
      case .unidentified: return
      case .application(let own, _) where own == wanted: return
      case .application(let own, _):
        throw .notPermitted(
          "only the user may perform quick actions of \(wanted); the caller is \(own)")
      case .orphan:
        throw .notPermitted(
          "only the user may perform quick actions of \(wanted); the caller descends from an application"
        )
      case .outsider(let outsider):
        throw .notPermitted("only the user may perform quick actions of \(wanted); \(outsider)")
      case .remote(let name):
        throw .notPermitted(
          "only the user may perform quick actions of \(wanted); the caller is \(name)")
      }
    }
  }

  /// Refuses an open by the deprecated `openURL(_:)` of an iOS application for which Apple's systems refuse each
  /// such open (R4.6).
  private static func permitLegacy(
    _ question: OpenRule.Question, in registry: Registry
  ) throws(OpenFailure) {
    guard question.isLegacy,
      let opener = question.acting.identifier.flatMap(registry.application)?.declaration,
      opener.platform == .iOS, opener.linkedSDK >= LinkedSDK(18)
    else { return }
    throw .notPermitted(
      "BUG IN CLIENT OF UIKIT: openURL(_:) opens nothing for \(opener.identifier), which is linked with"
        + " the SDK of iOS \(opener.linkedSDK): use open(_:options:completionHandler:)")
  }

  /// Whether the caller may choose the arguments, the environment and the streams of the process that its open
  /// starts (R6.8).
  /// - Parameter caller: nil when the caller is no iOS application.
  package static func mayShapeLaunch(_ caller: SandboxedCaller?) -> Bool { caller == nil }

  /// The failure for an outsider that would choose what a process of the user runs with, or would start a second
  /// process; nil for every other caller. The options of an iOS application have no effect, as on Apple's systems.
  /// - Parameter caller: nil when the caller is no iOS application.
  package static func launchRefusal(
    of caller: SandboxedCaller?, shapesProcess: Bool, newInstance: Bool
  ) -> OpenFailure? {
    guard let caller, caller.outsider != nil, shapesProcess || newInstance else { return nil }
    return caller.refusal(
      shapesProcess
        ? "may not choose the arguments, the environment or the streams of a process"
        : "may not ask for a new process")
  }

  /// Whether the caller may know the handler of an open and the way of the delivery. On Apple's systems the
  /// opener learns whether the URL was opened, and nothing else (R4.2).
  /// - Parameter caller: nil when the caller is no iOS application.
  package static func mayKnowHandler(_ caller: SandboxedCaller?) -> Bool { caller == nil }

  /// The parts of a receipt that the caller of an open gets. A remote learns what became of its open, and nothing about the
  /// handler; an iOS application learns what Apple's systems say.
  package enum ReceiptExtent: Hashable, Sendable {
    case all
    /// Without the handler and the way of the delivery.
    case outcome
    /// Only whether the URL was delivered.
    case delivery
  }

  /// - Parameter caller: nil when the caller is no iOS application and no remote.
  package static func receiptExtent(for caller: SandboxedCaller?) -> ReceiptExtent {
    guard let caller else { return .all }
    return caller.remote == nil ? .delivery : .outcome
  }

  /// Whether the caller may know the handler: an iOS application may know only the handlers of schemes that it has
  /// declared (R3.3), and never the browser (R3.9).
  /// - Parameters:
  ///   - caller: nil when the caller is no iOS application.
  ///   - canOpen: the answer to the caller's query.
  ///   - isWeb: whether the URL is a web URL, for which every query is answered with yes.
  package static func mayKnowHandler(
    _ caller: SandboxedCaller?, canOpen: Bool, isWeb: Bool
  ) -> Bool {
    caller == nil || canOpen && !isWeb
  }

  /// The failure for a caller whose queries count against a quota, which explanations would circumvent (R3.8); nil
  /// for every other caller.
  package static func explanationRefusal(
    of caller: SandboxedCaller?, acting: ActingCaller, in registry: Registry
  ) -> OpenFailure? {
    guard caller != nil, case .identified(let own, _) = acting,
      registry.allowlist(of: own) == .legacyQuota
    else { return nil }
    return .notPermitted(
      "\(own) was linked before iOS 9: its queries count against a quota, so explanations are refused"
    )
  }
}
