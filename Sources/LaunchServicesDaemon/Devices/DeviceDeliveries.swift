internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules

/// Hands URLs over to devices.
final class DeviceDeliveries {
  private let phones: KDEConnect
  private let machines: SSHRelay
  /// The calls of `machines` that are under way.
  private var calls: [RequestID: UInt64] = [:]
  /// Records that the delivery of an open begins, and calls the closure when that is written.
  var recordDelivery: (PendingOpen, @escaping (_ isRecorded: Bool) -> Void) -> Void = { _, _ in }
  /// Called with the result of each delivery.
  var onResult: (RequestID, Result<OpenOutcome, OpenFailure>) -> Void = { _, _ in }

  init(_ phones: KDEConnect, _ machines: SSHRelay) {
    self.phones = phones
    self.machines = machines
  }

  /// Hands the URL of an open over to its device. `onResult` is called once, unless the delivery is cancelled or the
  /// daemon stops first.
  /// - Parameter rule: what the rule is about that sends the URL to the device; nil without one.
  func deliver(
    _ open: PendingOpen, to device: Device, sentBy rule: MachineRules.Subject? = nil
  ) {
    let id = open.request.id
    guard let url = open.payload.urls.first else {
      return onResult(id, .failure(.notPermitted(DeviceRule.onlyURLs)))
    }
    open.record("delivering")
    var call: UInt64?
    if device.transport == .ssh {
      call = machines.newNumber()
      calls[id] = call
    }
    recordDelivery(open) { [weak self] isRecorded in
      // Without the record of the delivery, the next daemon would deliver the request again.
      guard isRecorded || !open.isRecorded else {
        self?.calls[id] = nil
        self?.onResult(
          id, .failure(.handlerRefused("the delivery to \(device.name) could not be recorded")))
        return
      }
      let (name, limit) = (open.options.requestID, open.options.validFor)
      let wasSent = open.isRepeated
      Task { [weak self] in
        // The opener has cancelled the open meanwhile.
        if call != nil, self?.calls[id] == nil { return }
        guard
          let answer = await self?.send(
            url, name, limit, to: device, call, wasSent: wasSent)
        else { return }
        self?.calls[id] = nil
        self?.onResult(id, DeviceRule.fate(of: answer, by: device, sentBy: rule))
      }
    }
  }

  /// Nil when the delivery was cancelled.
  /// - Parameters:
  ///   - limit: the option `valid-for` of the open, in milliseconds.
  ///   - wasSent: whether an earlier attempt to open the URL may have arrived.
  private func send(
    _ url: String, _ name: String?, _ limit: UInt32?, to device: Device, _ call: UInt64?,
    wasSent: Bool
  ) async -> DeviceRule.Answer? {
    guard let call else { return await phones.share(url, with: device) }
    var options = OpenOptions()
    // With a name, the other machine delivers the URL once, however often it is asked.
    options.requestID = name ?? randomToken()
    options.isRelayed = true
    let validFor = min(limit ?? .max, RelayAttempts.validFor)
    options.validFor = validFor
    let answer = await machines.call(
      device.id, number: call, answerTime: RelayAttempts.answerTime(validFor: validFor),
      wasSent: wasSent
    ) { isRepeated in
      options.isRepeated = isRepeated
      return Contract.openURL(url, options)
    }
    switch answer {
    case .cancelled: return nil
    case .notSent(let reason): return .unsent(reason)
    case .unknown(let why): return .unanswered(why)
    case .reply(.failure(let error)):
      return .failed(
        OpenFailure(error) ?? .handlerRefused("the service there refused", words: error.text))
    case .reply(.success(let values)):
      guard let receipt = values.first?.asOptions.flatMap(Receipt.init) else {
        return .unanswered("the answer is no receipt")
      }
      return .opened(receipt.outcome)
    }
  }

  /// Ends a delivery whose result nobody awaits.
  /// - Returns: whether the URL may have been sent. What KDE Connect has taken cannot be taken back.
  func cancel(_ id: RequestID) -> Bool {
    calls.removeValue(forKey: id).map { machines.cancel($0) } ?? true
  }

  /// Ends all deliveries, when the daemon ends.
  func stop() {
    calls = [:]
    machines.stop()
  }
}
