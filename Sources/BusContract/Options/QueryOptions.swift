package import DBus

/// Options of `CanOpenURL` and `Explain`.
package struct QueryOptions: Hashable, Sendable {
  package var actAs: String?
  package var application: String?
  /// For `Explain`: see `OpenOptions`.
  package var device: String?
  /// For `Explain`: see `OpenOptions`.
  package var ownApplication: Bool
  /// For `Explain`: see `OpenOptions`.
  package var isLink: Bool
  /// For `Explain`: see `OpenOptions`.
  package var universalLinksOnly: Bool
  /// For `Explain`: see `OpenOptions`.
  package var isLegacy: Bool
  /// For `Explain`: see `OpenOptions`.
  package var isRelayed = false
  package init(
    actAs: String? = nil, application: String? = nil, device: String? = nil,
    ownApplication: Bool = false,
    isLink: Bool = false, universalLinksOnly: Bool = false, isLegacy: Bool = false
  ) {
    self.actAs = actAs
    self.application = application
    self.device = device
    self.ownApplication = ownApplication
    self.isLink = isLink
    self.universalLinksOnly = universalLinksOnly
    self.isLegacy = isLegacy
  }
}

extension QueryOptions {
  static let keys = explainDescription.keys

  package static let canOpenDescription = DictionaryDescription([
    .init(
      Key.actAs, "s", "Asks as the application with this identifier. Applications may not use `as`."
    )
  ])

  package static let explainDescription = DictionaryDescription(
    canOpenDescription.entries,
    [
      .init(Key.application, "s", "Explains an open with this application."),
      .init(Key.onDevice, "s", "Explains an open on this device."),
      .init(
        Key.ownApplication, "b", "True explains an open with the calling application."),
      .init(
        Key.fromLink, "b", "True explains an open of a link of a page or a document."),
      .init(
        Key.universalLinksOnly, "b",
        "True explains an open that fails if no application receives the URL as a universal link."),
      .init(
        Key.relayed, "b", "True explains an open of a URL that has come from another machine."),
      .init(Key.legacy, "b", "True explains an open by the deprecated openURL(_:) of Apple."),
    ])

  init(_ reader: OptionReader) throws(BusError) {
    self.init(
      actAs: try reader.string(Key.actAs), application: try reader.string(Key.application),
      device: try OpenOptions.device(reader),
      ownApplication: try reader.boolean(Key.ownApplication) ?? false,
      isLink: try reader.boolean(Key.fromLink) ?? false,
      universalLinksOnly: try reader.boolean(Key.universalLinksOnly) ?? false,
      isLegacy: try reader.boolean(Key.legacy) ?? false)
    isRelayed = try reader.boolean(Key.relayed) ?? false
  }
}

extension QueryOptions {
  package var dictionary: Options {
    var options: Options = [:]
    if let actAs { options[Key.actAs] = .string(actAs) }
    if let application { options[Key.application] = .string(application) }
    if let device { options[Key.onDevice] = .string(device) }
    if ownApplication { options[Key.ownApplication] = .boolean(true) }
    if isLink { options[Key.fromLink] = .boolean(true) }
    if universalLinksOnly { options[Key.universalLinksOnly] = .boolean(true) }
    if isLegacy { options[Key.legacy] = .boolean(true) }
    if isRelayed { options[Key.relayed] = .boolean(true) }
    return options
  }
}
