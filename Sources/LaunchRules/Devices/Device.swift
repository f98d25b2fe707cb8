/// Another device of the user, to which a URL can be handed over.
package struct Device: Hashable, Sendable {
  /// The program that carries a URL to a device.
  package enum Transport: String, Hashable, Sendable, CaseIterable {
    /// KDE Connect, for phones.
    case kdeConnect = "kdeconnect"
    /// ssh, for machines that are remotes here.
    case ssh
  }

  /// The kind of a device, as the device says; `machine` for ssh.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case phone, tablet, laptop, desktop, tv, machine, unknown

    /// - Parameter text: a type of KDE Connect.
    package init(type text: String) {
      self =
        switch text {
        case "smartphone": .phone
        case Self.machine.rawValue: .unknown
        default: Self(rawValue: text) ?? .unknown
        }
    }
  }

  /// The identifier that the transport gives the device: ASCII letters, digits and `_`. The name of a machine.
  package let id: String
  /// The name that the user of the device has chosen, in one line.
  package let name: String
  package let kind: Kind
  package let transport: Transport
  /// True for a machine.
  package let isPaired: Bool
  /// True for a machine: only the connection for an open shows it.
  package let isReachable: Bool

  /// Nil when the identifier is not one of the transport's.
  package init?(
    id: String, name: String, kind: Kind = .phone, transport: Transport = .kdeConnect,
    isPaired: Bool = true, isReachable: Bool = true
  ) {
    guard Self.isIdentifier(id) else { return nil }
    self.id = id
    let line = name.onOneLine.prefix(Self.longestName)
    self.name = line.allSatisfy(\.isWhitespace) ? id : String(line)
    self.kind = kind
    self.transport = transport
    self.isPaired = isPaired
    self.isReachable = isReachable
  }

  /// A machine that ssh reaches by the name of the remote.
  package init(machine: RemoteName) {
    (id, name, kind, transport) = (machine.text, machine.text, .machine, .ssh)
    (isPaired, isReachable) = (true, true)
  }

  /// In characters.
  private static let longestName = 100
  /// In bytes.
  private static let longestIdentifier = 64

  private static func isIdentifier(_ text: String) -> Bool {
    (1...longestIdentifier).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
  }

  /// The device in receipts, the history and explanations. No application has such a name.
  package var handlerName: String { Self.handlerPrefix + name }

  /// The beginning of the receivers in receipts, the history and the log that are devices.
  package static let handlerPrefix = "device:"

  /// The device in remembered answers of the user, and where the loads of handlers are counted.
  package var identifier: BundleIdentifier {
    let text = Self.prefix(of: transport) + String(id.map { "_.".contains($0) ? "-" : $0 })
    guard let identifier = BundleIdentifier(text) else {
      preconditionFailure("\(text) is no identifier")
    }
    return identifier
  }

  private static func prefix(of transport: Transport) -> String {
    switch transport {
    case .kdeConnect: "org.kde.kdeconnect.device."
    case .ssh: "org.launchservices.machine."
    }
  }

  /// Whether the identifier is one of devices.
  package static func isIdentifier(_ identifier: BundleIdentifier) -> Bool {
    Transport.allCases.contains { identifier.text.lowercased().hasPrefix(prefix(of: $0)) }
  }

  /// The device and its transport, for explanations.
  package var sentence: String { "\(name) (\(kind.rawValue), by \(transport.rawValue), id \(id))" }
}
