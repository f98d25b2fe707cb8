package import DBus
internal import FoundationEssentials

/// The interface between the programs of test applications and the test.
package enum DirectorContract {
  /// The bus name of the test.
  package static let busName: BusName = "org.launchservices.Testing"
  package static let objectPath: ObjectPath = "/org/launchservices/Testing"
  package static let interface: InterfaceName = "org.launchservices.Testing1"

  /// `Start(s identifier, u pid, s connection) → s script`: a process has started; it will check in with
  /// `connection`.
  package static let start: MemberName = "Start"
  /// `Tell(s identifier, u pid, s event)`: answered when the test has received the event.
  package static let tell: MemberName = "Tell"
  /// `Wait(s identifier, u pid)`: answered when the program may continue.
  package static let wait: MemberName = "Wait"
  /// `Answer(u number, s answer)`.
  package static let answer: MemberName = "Answer"
  /// `Ask(s asking)`: sent by the test to the program.
  package static let ask: MemberName = "Ask"

  package static func call(_ member: MemberName, _ arguments: [Value]) -> Message {
    .call(to: busName, path: objectPath, interface: interface, member: member, arguments)
  }

  package static func answer(_ asking: Asking, _ answer: Question.Answer) -> Message {
    call(Self.answer, [.uint32(UInt32(asking.number)), .string(encode(answer))])
  }

  package static func encode(_ value: some Encodable) -> String {
    guard let json = try? JSONEncoder().encode(value) else {
      preconditionFailure("values of the testbed are made of what JSON knows")
    }
    return String(decoding: json, as: UTF8.self)
  }

  /// Nil when the text is not a valid value of the type.
  package static func decode<Result: Decodable>(_ type: Result.Type, _ json: String) -> Result? {
    try? JSONDecoder().decode(type, from: Data(json.utf8))
  }
}
