internal import Foundation

/// `simctl listapps` and `appinfo`: old-style property lists.
struct ApplicationList {
  let device: Device

  var all: [String] {
    OldStylePropertyList.lines(
      .dictionary(device.installed.map { ($0.identifier, value(of: $0)) }))
  }

  func one(_ identifier: String) -> [String] {
    let bundle = device.installed(identifier)
    return OldStylePropertyList.lines(
      bundle.map(value) ?? .dictionary([("CFBundleIdentifier", .text(identifier))]))
  }

  private func value(of bundle: InstalledBundle) -> OldStylePropertyList.Value {
    func key(_ name: String) -> String { bundle.keys[name] as? String ?? "" }
    let name = bundle.path.lastPathComponent.dropLast(".app".count)
    let displayName = [key("CFBundleDisplayName"), key("CFBundleName"), String(name)]
      .first { !$0.isEmpty }
    return .dictionary([
      ("ApplicationType", .text("User")), ("Bundle", .text(url(bundle.path))),
      ("BundleContainer", .text(url(bundle.container))),
      ("CFBundleDisplayName", .text(displayName ?? "")),
      ("CFBundleExecutable", .text(key("CFBundleExecutable"))),
      ("CFBundleIdentifier", .text(bundle.identifier)),
      ("CFBundleName", .text(key("CFBundleName"))),
      ("CFBundleVersion", .text(key("CFBundleVersion"))),
      ("DataContainer", .text(url(device.dataContainer(of: bundle.identifier)))),
      ("GroupContainers", .dictionary([])), ("Path", .text(bundle.path)), ("SBAppTags", .array([])),
    ])
  }

  private func url(_ path: String) -> String {
    URL(filePath: path, directoryHint: .isDirectory).absoluteString
  }
}
