/// Decides which opens go to another device, and what the answer of the transport is worth.
package enum DeviceRule {
  /// The schemes of the setting `CallsFrom`.
  private static let calling: Set = ["tel", "sms"]

  /// Whether the devices must be known before an open is decided.
  /// - Parameters:
  ///   - device: the device that the opener has named; nil for none.
  ///   - scheme: of the URL; nil for a text without a scheme.
  package static func needsDevices(
    _ device: String?, scheme: URLScheme?, in registry: Registry
  ) -> Bool {
    if device != nil { return true }
    guard registry.callsFrom != nil, let scheme else { return false }
    return calling.contains(scheme.text)
  }

  /// The device that an open names, or to which a rule of the user or the setting `CallsFrom` sends the open.
  static func choice(
    _ question: OpenRule.Question, _ registry: Registry, _ machines: MachineRules.Choice
  ) throws(OpenFailure) -> OpenRule.Decision.DeviceChoice? {
    guard case .url(let scheme, _, _) = question.subject else {
      guard question.device == nil else { throw .notPermitted(onlyURLs) }
      return nil
    }
    if let name = question.device {
      guard !Registry.neverDispatched.contains(scheme) else {
        throw .notPermitted(
          "\(scheme) URLs are handled only in the application that shows them, and are not handed"
            + " over to a device")
      }
      return .init(name: name, reason: .option)
    }
    if case .sends(let rule) = machines {
      return .init(name: rule.machine.text, reason: .rule(rule.subject))
    }
    guard question.designated == nil, !question.universalLinksOnly,
      let name = registry.callingDevice(
        for: scheme, opener: registry.profile(of: question.acting.identifier))
    else { return nil }
    return .init(name: name, reason: .callsFrom)
  }

  package static let onlyURLs =
    "only URLs can be handed over to a device, not files, applications and quick actions; send a file"
    + " with kdeconnect-cli --share"

  /// The failure for options that would be lost, because no process of an application is started here.
  package static func refusal(
    ofProcessOptions hasOptions: Bool, for device: Device,
    sentBy rule: MachineRules.Subject? = nil
  ) -> OpenFailure? {
    guard hasOptions else { return nil }
    return OpenFailure.notPermitted(
      "\(device.name) is another device, where options for a process have no effect: leave out arguments, environment,"
        + " streams, new-instance, hidden, fresh and waits-for-exit"
    ).naming(rule, to: device)
  }

  /// The answer of the transport to a URL.
  package enum Answer: Hashable, Sendable {
    /// The transport has taken the URL. KDE Connect has no acknowledgement by the device.
    case taken
    /// The device or the transport was not there, so the URL was not sent.
    case absent(String)
    /// The URL was not sent to a machine.
    case unsent(UnsentReason)
    /// The transport answered with an error. The text may repeat the URL.
    case refused(String)
    /// No answer came, so the URL may have been sent.
    case unanswered(String)
    /// The other machine has opened the URL. Its own way is not told here.
    case opened(OpenOutcome)
    /// The other machine did not open the URL.
    case failed(OpenFailure)
  }

  /// The result of the open.
  /// - Parameter rule: what the rule is about that sent the URL to the device; nil without one.
  package static func fate(
    of answer: Answer, by device: Device, sentBy rule: MachineRules.Subject? = nil
  ) -> Result<OpenOutcome, OpenFailure> {
    fate(of: answer, by: device).mapError { $0.naming(rule, to: device) }
  }

  private static func fate(
    of answer: Answer, by device: Device
  ) -> Result<OpenOutcome, OpenFailure> {
    let transport = device.transport.rawValue
    switch answer {
    case .opened(let there):
      var outcome = OpenOutcome(there.launch, there.delivery, handled: there.handled)
      outcome.way = transport
      outcome.process = 0
      return .success(outcome)
    case .failed(let failure): return .failure(failure.there(on: device.name))
    case .unsent(let reason): return .failure(.deviceUnavailable(reason.sentence(about: device.id)))
    case .taken:
      var outcome = OpenOutcome(.warm, .handedOver, handled: true)
      outcome.way = transport
      outcome.process = 0
      return .success(outcome)
    case .absent(let why):
      return .failure(
        .deviceUnavailable(
          "\(device.name) is no longer reachable by \(transport), so nothing was sent: \(why);"
            + " 'lsregister devices' shows whether the device is reachable"))
    case .refused(let words):
      return .failure(
        .handlerRefused("\(transport) did not hand the URL over to \(device.name)", words: words))
    case .unanswered(let why):
      return .failure(
        .deliveryUnknown(
          "\(transport) did not confirm that the URL was sent to \(device.name) (\(why)): look on the"
            + " device before you repeat the open"))
    }
  }
}

extension Registry {
  /// The device that makes the calls and sends the messages of an opener, as with Handoff: the setting `CallsFrom`,
  /// for an opener that is none of iOS, unless the user has chosen an application for the scheme. Also where no
  /// application handles the scheme.
  /// - Parameter opener: nil without a property list.
  package func callingDevice(
    for scheme: URLScheme, opener: ApplicationDeclaration?
  ) -> String? {
    guard let callsFrom, DeviceRule.needsDevices(nil, scheme: scheme, in: self),
      opener?.platform != .iOS
    else { return nil }
    if case .handler(let candidate) = route(scheme), !candidate.isSystem,
      [.userChoice, .entitledUserChoice].contains(candidate.reason)
    {
      return nil
    }
    return callsFrom
  }
}

extension OpenRule.Decision {
  /// The device to which a URL is handed over.
  package struct DeviceChoice: Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
      case option, callsFrom
      /// The user sends such URLs to the machine.
      case rule(MachineRules.Subject)
    }

    /// The name or the identifier of the device.
    package let name: String
    package let reason: Reason
    /// Nil until the device is found.
    package var device: Device?
    /// What the rule of the user is about that sends the URL to the device; nil without one.
    var rule: MachineRules.Subject? { if case .rule(let subject) = reason { subject } else { nil } }

    init(name: String, reason: Reason) {
      self.name = name
      self.reason = reason
    }

    var sentence: String {
      let device = device?.sentence ?? name.quoted
      return switch reason {
      case .option: "\(device), named with option 'on'"
      case .callsFrom: "\(device), named in the setting CallsFrom"
      case .rule(let subject): "\(device), to which you send \(subject) (lsregister remote list)"
      }
    }
  }
}
