internal import BusContract
internal import CallerIdentity
internal import DBus
internal import Host
internal import LaunchRules

/// The interface `org.launchservices.Launch1`: the calls of handlers. Also answers `CurrentActivities` of Workspace1,
/// which returns what handlers have set.
final class Launch1 {
  private let store: RegistryStore
  private let checkIns: CheckInService
  private let deliveries: DeliveryService
  private let quickActions: DynamicQuickActions
  private let coordinator: OpenCoordinator
  private let activities: CurrentActivities
  private let fates: FateReporter

  init(
    _ store: RegistryStore, _ checkIns: CheckInService, _ deliveries: DeliveryService,
    _ quickActions: DynamicQuickActions, _ coordinator: OpenCoordinator,
    _ activities: CurrentActivities, _ fates: FateReporter
  ) {
    self.store = store
    self.checkIns = checkIns
    self.deliveries = deliveries
    self.quickActions = quickActions
    self.coordinator = coordinator
    self.activities = activities
    self.fates = fates
  }

  func answer(
    _ content: IncomingCall, of caller: IdentifiedCaller, _ call: PendingCall
  ) throws(BusError) -> Reply {
    switch content {
    case .checkIn(let options):
      try checkIns.checkIn(options, caller, call) { [coordinator] in
        coordinator.isExpectedBack($0)
      }
      // The answer may wait for the record or the bus; FinishLaunching counts only after it.
      return .pendingInOrder
    case .finishLaunching(let will, let did):
      let instance = try instance(of: caller, before: "FinishLaunching")
      let application = store.registry.application(instance.slot.application)
      let answers = LaunchAnswers(
        will: will, did: did, passesOn: application?.declaration.isDesktopBridge == true)
      return .answering([]) { [coordinator] in
        coordinator.handle(.finishedLaunching(instance, answers), of: instance)
      }
    case .retire:
      let end = coordinator.retire(try instance(of: caller, before: "Retire"))
      return .answering([.boolean(end != nil)]) { end?() }
    case .handedOver(let request):
      let handler = try instance(of: caller, before: "HandedOver").slot.application
      return .values([.boolean(fates.handedOver(RequestID(request), by: handler))])
    case .programFailed(let request, let failure):
      let handler = try instance(of: caller, before: "ProgramFailed").slot.application
      return .values([.boolean(fates.failed(RequestID(request), failure, by: handler))])
    case .deliverDirectly:
      return .values([
        .boolean(try deliveries.deliverDirectly(caller.facts, on: caller.connection))
      ])
    case .setShortcutItems(let actions):
      try setShortcutItems(
        actions, of: try instance(of: caller, before: "SetShortcutItems").slot.application)
      return .nothing
    case .setCurrentActivity(let activity):
      try set(activity, of: try instance(of: caller, before: "SetCurrentActivity"))
      return .nothing
    case .currentActivities: return .values([.optionsList(activities.descriptions)])
    default: preconditionFailure("\(content) is not a call of Launch1")
    }
  }

  private func instance(
    of caller: IdentifiedCaller, before method: String
  ) throws(BusError) -> InstanceID {
    guard let instance = deliveries.instance(on: caller.connection) else {
      throw RegistrationFailure.notPermitted("call CheckIn before \(method)").busError
    }
    return instance
  }

  private func set(
    _ activity: CurrentActivity?, of instance: InstanceID
  ) throws(BusError) {
    let identifier = instance.slot.application
    guard let application = store.registry.application(identifier) else {
      throw RegistrationFailure.notRegistered("\(identifier) was unregistered").busError
    }
    let url = activity?.webpageURL
    let isWebPage =
      url.map { (try? RequestedURL($0, longest: CurrentActivity.longestURL))?.scheme.isWeb == true }
      ?? true
    let objection = activity?.objection(
      of: identifier, declared: application.declaration.userActivityTypes, isWebPage: isWebPage)
    if let objection { throw RegistrationFailure.notPermitted(objection).busError }
    activities.set(activity, of: instance)
  }

  private func setShortcutItems(
    _ actions: [QuickAction], of identifier: BundleIdentifier
  ) throws(BusError) {
    guard store.registry.application(identifier) != nil else {
      throw RegistrationFailure.notRegistered("\(identifier) was unregistered").busError
    }
    do throws(FileError) {
      try quickActions.set(actions, of: identifier)
    } catch {
      throw .failed("the quick actions could not be stored: \(error)")
    }
  }
}
