/// The plugin interface of HexChat, which takes a command of its input line.
enum HexChatRemote {
  /// Empty for a URL with a blank or a control character, which would end the argument of the command.
  static func requests(for subject: HandOverProtocol.Subject) -> [BusRequest] {
    guard subject.url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else { return [] }
    return [
      BusRequest(
        "/org/hexchat/Remote", "org.hexchat.plugin", "Command", [.string("url \(subject.url)")])
    ]
  }
}
