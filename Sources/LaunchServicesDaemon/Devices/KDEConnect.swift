internal import BusContract
internal import CallerIdentity
internal import DBus
internal import DBusMainLoop
internal import LaunchRules

/// A client of the daemon of KDE Connect. Waits a limited time, and keeps nothing between calls.
final class KDEConnect {
  private let session: BusSession
  private let callers: CallerTable
  private let identifier: CallerIdentifier
  private let store: RegistryStore

  /// Timeout for a list of devices, in seconds.
  private static let listing = 2
  /// Timeout for KDE Connect to take a URL.
  private static let sharing = Duration.seconds(5)
  /// Timeout for the start of KDE Connect by the bus.
  private static let starting = Duration.seconds(10)

  init(
    _ session: BusSession, _ callers: CallerTable, _ identifier: CallerIdentifier,
    _ store: RegistryStore
  ) {
    self.session = session
    self.callers = callers
    self.identifier = identifier
    self.store = store
  }

  /// The devices that KDE Connect knows now.
  /// - Parameter startsService: whether KDE Connect is started if it does not run.
  func list(startsService: Bool = false) async -> DeviceList {
    let found = await known()
    guard startsService, found.problem == .notRunning else { return found }
    if let problem = await startProblem() { return DeviceList([], problem: problem) }
    return await known()
  }

  private func known() async -> DeviceList {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(Self.listing)
    func remaining() -> Duration { max(.milliseconds(1), end - clock.now) }
    do throws(BusError) {
      let owner = try await owner(within: remaining())
      // Any number of strangers may be in the network.
      var ids: [String] = []
      for onlyPaired in [true, false] {
        let answer = try await session.call(
          KDEConnectContract.devices(onlyPaired: onlyPaired, owner), deadline: remaining())
        ids += (answer.first?.asStrings ?? []).filter { !ids.contains($0) }
      }
      var devices: [Device] = []
      for id in ids.prefix(KDEConnectContract.mostDevices) {
        guard let question = KDEConnectContract.properties(of: id, owner) else { continue }
        guard let properties = try await properties(question, within: remaining()),
          let device = KDEConnectContract.device(id, properties)
        else { continue }
        devices.append(device)
      }
      return DeviceList(devices)
    } catch {
      return DeviceList([], problem: Self.problem(error))
    }
  }

  /// Hands a URL over to a device.
  func share(_ url: String, with device: Device) async -> DeviceRule.Answer {
    let owner: BusName
    do throws(BusError) {
      owner = try await self.owner(within: .seconds(Self.listing))
    } catch {
      // Nothing was sent yet.
      return .absent(Self.problem(error).sentence)
    }
    guard let message = KDEConnectContract.shareURL(url, with: device.id, owner) else {
      return .absent("\(device.id) is no identifier of KDE Connect")
    }
    do throws(BusError) {
      return KDEConnectContract.answer(
        .success(try await session.call(message, deadline: Self.sharing)))
    } catch {
      return KDEConnectContract.answer(.failure(error))
    }
  }

  /// Nil for a device that KDE Connect has forgotten since the list.
  private func properties(
    _ question: consuming Message, within time: Duration
  ) async throws(BusError) -> Options? {
    do throws(BusError) {
      return try await session.call(question, deadline: time).first?.asOptions
    } catch {
      if case .absent = KDEConnectContract.answer(.failure(error)) { return nil }
      throw error
    }
  }

  /// Starts KDE Connect.
  private func startProblem() async -> DeviceProblem? {
    do throws(BusError) {
      _ = try await session.call(
        MessageBus.startService(KDEConnectContract.busName), deadline: Self.starting)
      return nil
    } catch {
      if error.name == .serviceUnknown { return .notInstalled }
      return .notStarted(error.text)
    }
  }

  private static func problem(_ error: BusError) -> DeviceProblem {
    switch error.name {
    case _ where error.isDisconnection: .noBus
    case .nameHasNoOwner: .notRunning
    case BusError.timedOut.name: .timedOut(seconds: listing)
    default: .refused(error.text)
    }
  }

  // MARK: Owner of the name

  /// The connection that owns the name of KDE Connect. Any process may own a free name, and would receive the user's
  /// URLs: an application that may be one of iOS is refused.
  private func owner(within time: Duration) async throws(BusError) -> BusName {
    let answer = try await session.call(
      MessageBus.nameOwner(KDEConnectContract.busName), deadline: time)
    guard let text = answer.first?.asString, let name = BusName(text) else {
      throw .failed("the message bus names no owner of \(KDEConnectContract.busName)")
    }
    let facts = await withCheckedContinuation { continuation in
      callers.withFacts(of: text) { continuation.resume(returning: $0) }
    }
    let caller = try identifier.caller(on: text, facts)
    if let sandboxed = store.registry.sandboxed(caller.caller) {
      throw .failed("the owner of \(KDEConnectContract.busName) is refused: \(sandboxed)")
    }
    return name
  }
}
