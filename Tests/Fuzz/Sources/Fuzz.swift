internal import CFuzzer
internal import Glibc

/// The program that `Tests/Fuzz/run` builds: `LAUNCH_SERVICES_FUZZ` names what is fuzzed, the arguments
/// are those of libFuzzer. A trap, a failed check or memory that is not there ends it, and it leaves the
/// input behind.
@main enum Fuzz {
  static let subject: Subject = {
    let name = unsafe getenv("LAUNCH_SERVICES_FUZZ").map { unsafe String(cString: $0) } ?? ""
    guard let subject = Subject(rawValue: name) else {
      print("LAUNCH_SERVICES_FUZZ must be one of:", Subject.allCases.map(\.rawValue))
      exit(64)
    }
    return subject
  }()

  static func main() {
    _ = subject
    var count = CommandLine.argc
    var arguments =
      unsafe CommandLine.unsafeArgv as UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let status = unsafe LLVMFuzzerRunDriver(&count, &arguments) { bytes, size in
      let input = unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: size))
      Fuzz.subject.take(input)
      return 0
    }
    exit(status)
  }
}

/// What reads bytes that anybody may have written.
enum Subject: String, CaseIterable {
  case propertyLists = "property-lists"
  case urls
  case messages

  func take(_ input: [UInt8]) {
    switch self {
    case .propertyLists: PropertyListSubject.take(input)
    case .urls: URLSubject.take(input)
    case .messages: MessageSubject.take(input)
    }
  }
}
