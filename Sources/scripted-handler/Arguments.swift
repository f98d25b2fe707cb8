internal import BusContract
internal import DBus
internal import Glibc
internal import LaunchServicesTesting

extension OpenedURL {
  /// Reads one `(sa{sv})`.
  init?(_ value: Value) {
    guard let parts = value.elements, parts.count == 2, let url = parts[0].asString,
      let options = parts[1].asOptions
    else { return nil }
    self.init(url, options)
  }

  init(_ url: String, _ options: Options) {
    self.init(
      url, source: options[Key.sourceApplication]?.asString,
      annotation: options[Key.annotation]?.asString,
      activationToken: options[Key.activationToken]?.asString,
      openInPlace: options[Key.openInPlace]?.asBoolean,
      contents: options[Key.descriptor]?.asDescriptor.map(Self.contents))
  }
}

extension OpenedURL {
  private static func contents(of file: OwnedDescriptor) -> String {
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
      count = unsafe max(0, pread(file.number, buffer.baseAddress, 4096, 0))
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension LaunchReason {
  /// Reads the reply to a check-in.
  init(_ answer: Options) {
    if let options = answer[Key.connectionOptions]?.asOptions {
      let contexts = options[Key.urlContexts]?.elements ?? []
      self = .connectionOptions(
        contexts.compactMap(OpenedURL.init), source: options[Key.sourceApplication]?.asString,
        shortcutItem: options[Key.shortcutItem]?.asString, hints: LaunchHints(options))
    } else {
      let options = answer[Key.launchOptions]?.asOptions ?? [:]
      self = .launchOptions(
        options[Key.url]?.asString.map { OpenedURL($0, options) },
        shortcutItem: options[Key.shortcutItem]?.asString, hints: LaunchHints(options))
    }
  }
}

extension LaunchHints {
  init(_ options: Options) {
    self.init(
      hidden: options[Key.hidden]?.asBoolean ?? false,
      fresh: options[Key.fresh]?.asBoolean ?? false,
      launchImage: options[Key.launchImage]?.asString,
      userInfo: Self.texts(options[Key.shortcutItemDetails]?.asOptions?[Key.userInfo]),
      webpage: Self.webpage(options))
  }

  /// The page of the launch options, or of the only activity of the connection options.
  private static func webpage(_ options: Options) -> String? {
    let activity = options[Key.userActivities]?.elements?.first?.elements?.last?.asOptions
    return (activity ?? options)[Key.webpageURL]?.asString
  }

  static func texts(_ userInfo: Value?) -> [String: String] {
    userInfo?.asOptions?.compactMapValues(\.asString) ?? [:]
  }
}
