internal import Commands
internal import Foundation

/// `simctl list`.
struct DeviceList {
  let set: DeviceSet
  let output: Output

  private enum Section: String, CaseIterable {
    case deviceTypes = "devicetypes"
    case runtimes, devices, pairs

    var heading: String {
      switch self {
      case .deviceTypes: "== Device Types =="
      case .runtimes: "== Runtimes =="
      case .devices: "== Devices =="
      case .pairs: "== Device Pairs =="
      }
    }
  }

  func print(_ arguments: [String]) throws(SimulatorFailure) {
    var sections = Section.allCases
    var isJSON = false
    var filter: String?
    for argument in arguments {
      switch argument {
      case "-j", "--json": isJSON = true
      case "-v", "--verbose", "-e": break
      case _ where argument.hasPrefix("-"):
        throw .usage("Usage: simctl \(Simctl.Subcommand.list.synopsis)")
      default:
        if let section = Section(rawValue: argument), sections.count > 1 {
          sections = [section]
        } else {
          filter = argument
        }
      }
    }
    isJSON ? printJSON(sections, filter) : printText(sections, filter)
  }

  private func matches(_ device: Device, _ filter: String?) -> Bool {
    switch filter {
    case nil, "available": true
    case "booted": device.isBooted
    case let text?:
      device.description.name.lowercased().contains(text.lowercased())
        || device.udid == text.uppercased()
        || device.description.runtime.lowercased().contains(text.lowercased())
    }
  }

  private func matches(_ names: [String], _ filter: String?) -> Bool {
    guard let filter, !["available", "booted"].contains(filter) else { return true }
    return names.contains { $0.lowercased().contains(filter.lowercased()) }
  }

  // MARK: Text

  private func printText(_ sections: [Section], _ filter: String?) {
    // All lines at once: a reader such as 'grep -q' may end after the first ones.
    var lines: [String] = []
    for section in sections {
      lines.append(section.heading)
      switch section {
      case .deviceTypes:
        lines += DeviceCatalogue.deviceTypes.filter { matches([$0.name], filter) }
          .map { "\($0.name) (\($0.identifier))" }
      case .runtimes:
        lines += DeviceCatalogue.runtimes.filter { matches([$0.name], filter) }
          .map { "\($0.name) (\($0.version) - \($0.build)) - \($0.identifier)" }
      case .devices:
        for runtime in DeviceCatalogue.runtimes {
          lines.append("-- \(runtime.name) --")
          lines +=
            set.all.filter { $0.description.runtime == runtime.identifier && matches($0, filter) }
            .map { "    \($0.description.name) (\($0.udid)) (\($0.state)) " }
        }
      case .pairs: break
      }
    }
    output.print(lines)
  }

  // MARK: JSON

  private func printJSON(_ sections: [Section], _ filter: String?) {
    var object: [String: Any] = [:]
    for section in sections {
      switch section {
      case .deviceTypes:
        object[section.rawValue] = DeviceCatalogue.deviceTypes
          .filter { matches([$0.name], filter) }
          .map { type in
            [
              "name": type.name, "identifier": type.identifier,
              "productFamily": type.name.hasPrefix("iPad") ? "iPad" : "iPhone",
            ]
          }
      case .runtimes:
        object[section.rawValue] = DeviceCatalogue.runtimes
          .filter { matches([$0.name], filter) }
          .map { runtime -> [String: Any] in
            [
              "name": runtime.name, "identifier": runtime.identifier, "version": runtime.version,
              "buildversion": runtime.build, "isAvailable": true, "bundlePath": set.folder,
              "platform": "iOS",
            ]
          }
      case .devices:
        var devices: [String: Any] = [:]
        for runtime in DeviceCatalogue.runtimes {
          devices[runtime.identifier] = set.all
            .filter { $0.description.runtime == runtime.identifier && matches($0, filter) }
            .map(Self.object)
        }
        object[section.rawValue] = devices
      case .pairs: object[section.rawValue] = [String: Any]()
      }
    }
    let options: JSONSerialization.WritingOptions = [
      .prettyPrinted, .sortedKeys, .withoutEscapingSlashes,
    ]
    let text = (try? JSONSerialization.data(withJSONObject: object, options: options)) ?? Data()
    output.print(
      String(decoding: text, as: UTF8.self)
        .split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
  }

  private static func object(_ device: Device) -> [String: Any] {
    var object: [String: Any] = [
      "udid": device.udid, "name": device.description.name, "state": device.state,
      "isAvailable": true, "deviceTypeIdentifier": device.description.deviceType,
      "dataPath": device.dataPath, "logPath": device.logPath,
    ]
    if let time = device.description.lastBooted {
      object["lastBootedAt"] = Date(timeIntervalSince1970: TimeInterval(time))
        .formatted(.iso8601)
    }
    return object
  }
}
