internal import BusContract
internal import Commands
internal import DBus
internal import FoundationEssentials
internal import Host
internal import LaunchRules
internal import PropertyLists

/// A property list of remembered answers, by opener, scheme and handler. The format of iOS simulators, which
/// maps `OPENER-->SCHEME` to a handler, can also be read.
enum ApprovalFile {
  /// The simulator's identifiers for any opener and for the browser.
  private static let openers = [
    "com.apple.CoreSimulator.CoreSimulatorBridge": "*", "com.apple.mobilesafari": "@web",
  ]

  static func read(_ path: String) throws(CommandFailure) -> [Approval] {
    func wrong(_ why: String) -> CommandFailure { CommandFailure(.failed, "\(path): \(why)") }
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try RegularFile.read(path, atMost: 1 << 22).bytes
    } catch {
      throw CommandFailure(.failed, error.description)
    }
    do throws(BusError) {
      let own = try? AdmittedPropertyList.decode(
        [String: [String: [String: Bool]]].self, from: bytes)
      if let own {
        var approvals: [Approval] = []
        for (opener, schemes) in own {
          for (scheme, handlers) in schemes {
            for (handler, isAllowed) in handlers {
              approvals.append(try approval(opener, scheme, handler, isAllowed))
            }
          }
        }
        return approvals
      }
      guard let theirs = try? AdmittedPropertyList.decode([String: String].self, from: bytes) else {
        throw BusError.failed("it is no property list of approvals")
      }
      return try theirs.map { key, handler throws(BusError) in
        let parts = key.split(separator: "-->", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
          throw BusError.failed("the key '\(key)' is not OPENER-->SCHEME")
        }
        return try approval(openers[parts[0]] ?? parts[0], parts[1], handler, true)
      }
    } catch {
      throw wrong(error.text)
    }
  }

  private static func approval(
    _ opener: String, _ scheme: String, _ handler: String, _ isAllowed: Bool
  ) throws(BusError) -> Approval {
    let key = Approvals.Key(
      opener: try Approval.opener(opener), scheme: try URLScheme(argument: scheme),
      handler: try Approval.handler(handler))
    return Approval(key, isAllowed: isAllowed)
  }

  static func write(_ approvals: [Approval], to path: String) throws(CommandFailure) {
    var list: [String: [String: [String: Bool]]] = [:]
    for approval in approvals {
      list["\(approval.key.opener)", default: [:]][approval.key.scheme.text, default: [:]][
        approval.key.handler.text] = approval.isAllowed
    }
    do {
      try Data(OwnPropertyList.encode(list, isBinary: false)).write(
        to: URL(filePath: path), options: .atomic)
    } catch {
      throw CommandFailure(.failed, "\(path): it cannot be written: \(error)")
    }
  }
}
