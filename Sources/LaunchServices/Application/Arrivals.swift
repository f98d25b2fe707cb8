internal import BusContract
internal import DBus
internal import FoundationEssentials
internal import LaunchRules

/// A URL for the delegate, as the daemon sent it.
struct ArrivingURL: Hashable, Sendable {
  /// Byte for byte as the opener sent it.
  let text: String
  let options: Options

  init(_ text: String, _ options: Options = [:]) {
    self.text = text
    self.options = options
  }

  /// Reads `a(sa{sv})`.
  static func list(_ value: Value?) -> [ArrivingURL] {
    (value?.elements ?? []).compactMap { entry in
      guard let parts = entry.elements, parts.count == 2, let text = parts[0].asString,
        let options = parts[1].asOptions
      else { return nil }
      return ArrivingURL(text, options)
    }
  }

  /// Nil when Foundation cannot parse the text, which is reported on standard error.
  var url: URL? {
    if let url = URL(string: text) { return url }
    StandardStreams.complain("ignored \"\(text)\": Foundation cannot parse it as a URL")
    return nil
  }

  var sourceApplication: String? { options[Key.sourceApplication]?.asString }
  var annotation: Any? { options[Key.annotation]?.propertyListValue }
  /// The number of the request; nil when the opener set no `request-id`.
  var request: UInt64? { options[Key.request]?.asUInt64 }
  /// Whether an earlier daemon may have delivered the request before it ended.
  var isRepeated: Bool { options[Key.repeated]?.asBoolean ?? false }
  var activationToken: String? { options[Key.activationToken]?.asString }
  var document: OpenDocument? { options[Key.descriptor]?.asDescriptor.map(OpenDocument.init) }
  var isDocument: Bool { DocumentURL.isOne(text) }
  var openInPlace: Bool? { options[Key.openInPlace]?.asBoolean }
}

extension ArrivingURL {
  var openURLOptions: [Application.OpenURLOptionsKey: Any] {
    var result: [Application.OpenURLOptionsKey: Any] = [:]
    result[.sourceApplication] = sourceApplication
    result[.annotation] = annotation
    result[.openInPlace] = openInPlace
    result[.activationToken] = activationToken
    result[.document] = document
    return result
  }

  /// Nil when Foundation cannot parse the text.
  @MainActor var context: OpenURLContext? {
    url.map {
      OpenURLContext(
        url: $0,
        options: Scene.OpenURLOptions(
          sourceApplication: sourceApplication, annotation: annotation,
          openInPlace: openInPlace ?? false, activationToken: activationToken,
          document: document))
    }
  }
}

extension Value {
  /// This value as a property list value; nil for the types that only D-Bus has.
  var propertyListValue: Any? {
    switch self {
    case .byte(let number): Int(number)
    case .boolean(let flag): flag
    case .int16(let number): Int(number)
    case .uint16(let number): Int(number)
    case .int32(let number): Int(number)
    case .uint32(let number): Int(number)
    case .int64(let number): Int(number)
    case .uint64(let number): number
    case .double(let number): number
    case .string(let text): text
    case .variant(let value): value.propertyListValue
    case .array(of: "{sv}", _): asOptions?.compactMapValues(\.propertyListValue)
    case .array(of: "y", let elements):
      Data(elements.compactMap { if case .byte(let byte) = $0 { byte } else { nil } })
    case .array(_, let elements), .structure(let elements):
      elements.compactMap(\.propertyListValue)
    case .objectPath, .signature, .descriptor, .dictionaryEntry: nil
    }
  }
}
