internal import LaunchRules

/// Hands URLs over to devices.
final class DeviceDeliveries {
  private let phones: KDEConnect
  /// Records that the delivery of an open begins, and calls the closure when that is written.
  var recordDelivery: (PendingOpen, @escaping (_ isRecorded: Bool) -> Void) -> Void = { _, _ in }
  /// Called with the result of each delivery.
  var onResult: (RequestID, Result<OpenOutcome, OpenFailure>) -> Void = { _, _ in }

  init(_ phones: KDEConnect) { self.phones = phones }

  /// Hands the URL of an open over to its device. `onResult` is called once, unless the daemon stops first.
  func deliver(_ open: PendingOpen, to device: Device) {
    let id = open.request.id
    guard let url = open.payload.urls.first else {
      return onResult(id, .failure(.notPermitted(DeviceRule.onlyURLs)))
    }
    open.record("delivering")
    recordDelivery(open) { [weak self] isRecorded in
      // Without the record of the delivery, the next daemon would deliver the request again.
      guard isRecorded || !open.isRecorded else {
        self?.onResult(
          id, .failure(.handlerRefused("the delivery to \(device.name) could not be recorded")))
        return
      }
      Task { [weak self] in
        guard let answer = await self?.phones.share(url, with: device) else { return }
        self?.onResult(id, DeviceRule.fate(of: answer, by: device))
      }
    }
  }
}
