internal import BusContract
internal import DBus
internal import Events
internal import Glibc
internal import Host
internal import LaunchRules

/// One run of ssh, whose standard streams carry one call to `lsopen --stdio` on another machine.
///
/// The call is written after the greeting, so that a connection that fails before has sent nothing.
final class SSHConnection {
  enum End: Equatable {
    case answered(Result<[Value], BusError>)
    case failed(RelayAttempts.Failure)
  }

  /// The ends of the pipes for ssh. Release them when ssh has them.
  struct Streams {
    let input: OwnedDescriptor
    let output: OwnedDescriptor
    let error: OwnedDescriptor
  }

  private let call: [UInt8]
  private var written = 0
  /// The time for the answer after the greeting.
  private let answerTime: Duration
  private var output = RelayOutput()
  private let input: OwnedDescriptor
  private let answers: Int32
  private let complaints: SSHComplaints
  private var answerWatch: DescriptorWatch?
  private var writer: DescriptorWatch?
  private var limit: Deadline?
  private var report: ((End) -> Void)?
  /// Ends ssh.
  var onClose: () -> Void = {}

  /// Maximum number of bytes that are read at once. The capacity of a pipe is 64 KiB.
  private static let mostAtOnce = 64 << 10
  private static let readsOfPipe = 2
  /// The time for ssh to end after its output.
  private static let lastPatience = Duration.seconds(5)

  /// - Parameters:
  ///   - call: a marshalled message.
  ///   - greetingTime: the time for the greeting.
  ///   - answerTime: the time for the answer after the greeting.
  ///   - onEnd: called once, later.
  static func open(
    _ call: [UInt8], greetingTime: Duration, answerTime: Duration,
    onEnd: @escaping (End) -> Void
  ) throws(Errno) -> (SSHConnection, Streams) {
    let (input, output, error) = (try PipeEnds(), try PipeEnds(), try PipeEnds())
    for end in [input.writing, output.reading, error.reading] { PipeEnds.neverWait(end) }
    let connection = SSHConnection(
      call, greetingTime, answerTime, input: OwnedDescriptor(adopting: input.writing),
      answers: output.reading, complaints: error.reading, onEnd)
    return (
      connection,
      Streams(
        input: OwnedDescriptor(adopting: input.reading),
        output: OwnedDescriptor(adopting: output.writing),
        error: OwnedDescriptor(adopting: error.writing))
    )
  }

  private init(
    _ call: [UInt8], _ greetingTime: Duration, _ answerTime: Duration, input: OwnedDescriptor,
    answers: Int32, complaints: Int32,
    _ onEnd: @escaping (End) -> Void
  ) {
    self.call = call
    self.answerTime = answerTime
    self.input = input
    self.answers = answers
    self.complaints = SSHComplaints(adopting: complaints)
    report = onEnd
    answerWatch = DescriptorWatch(closing: answers) { [weak self] in self?.readAnswers() }
    limit = Deadline(after: greetingTime) { [weak self] in
      self?.finish(
        .failed(.notSent(.noGreeting(seconds: Int(greetingTime.components.seconds)))))
    }
    self.complaints.onFlood = { [weak self] why in self?.fail(.noProtocol(why)) }
  }

  /// Whether a part of the call was written.
  var hasSent: Bool { written > 0 }

  /// Ends the connection: nobody waits for its answer.
  func close() { fail(.noConnection("the connection was closed")) }

  /// ssh has ended, or could not be started.
  /// - Parameter why: nil when ssh and the shell there have said why.
  func ended(_ why: UnsentReason?) {
    // What ssh has written before.
    for _ in 0..<Self.readsOfPipe where answerWatch != nil && report != nil { readAnswers() }
    if report != nil { fail(why) }
  }

  // MARK: Streams

  private func readAnswers() {
    let (pieces, isOver) = Self.read(answers)
    for event in output.add(pieces) where report != nil { handle(event) }
    guard isOver, report != nil else { return }
    // The end of ssh follows, with its status.
    answerWatch = nil
    limit = Deadline(after: Self.lastPatience) { [weak self] in self?.fail(nil) }
  }

  private func handle(_ event: RelayOutput.Event) {
    switch event {
    case .ready:
      limit = Deadline(after: answerTime) { [weak self] in self?.answerIsLate() }
      writeCall()
    case .refused(let why): fail(.noDaemon(why))
    case .reply(let result): finish(.answered(result))
    case .unusable(let why): fail(.noProtocol(why))
    }
  }

  /// The call was written, or a part of it, and its answer did not come.
  private func answerIsLate() {
    finish(
      .failed(
        .silent(
          "lsopen there took the call, and did not answer within \(answerTime.components.seconds) s"
        )))
  }

  /// A piece of what can be read without waiting, and whether nothing will follow. A machine that never stops to write must
  /// not keep the daemon here.
  fileprivate static func read(_ descriptor: Int32) -> (bytes: [UInt8], isOver: Bool) {
    var count = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: mostAtOnce) { buffer, filled in
      repeat {
        count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      } while count < 0 && errno == EINTR
      filled = max(0, count)
    }
    return (bytes, count == 0 || count < 0 && errno != EAGAIN)
  }

  private func writeCall() {
    while written < call.count, report != nil {
      let count = unsafe call[written...].withUnsafeBytes {
        unsafe write(input.number, $0.baseAddress, $0.count)
      }
      if count > 0 {
        written += count
      } else if errno == EAGAIN {
        return waitToWrite()
      } else if errno != EINTR {
        return fail(nil)
      }
    }
    writer = nil
  }

  private func waitToWrite() {
    guard writer == nil else { return }
    let copy = fcntl(input.number, F_DUPFD_CLOEXEC, 3)
    writer = DescriptorWatch(closing: copy, for: .writing) { [weak self] in self?.writeCall() }
  }

  // MARK: End

  private func fail(_ why: UnsentReason?) {
    let words = complaints.lastLines
    let reason = why ?? .noConnection(words.isEmpty ? "ssh ended without a message" : words)
    finish(.failed(hasSent ? .cut(reason.words) : .notSent(reason)))
  }

  private func finish(_ end: End) {
    guard let report else { return }
    self.report = nil
    (limit, writer, answerWatch) = (nil, nil, nil)
    complaints.close()
    onClose()
    report(end)
  }
}

/// The end of what ssh and the shell of the other machine have written to the standard error.
private final class SSHComplaints {
  private let descriptor: Int32
  private var bytes: [UInt8] = []
  private var watch: DescriptorWatch?
  private var total = 0
  /// Called when more was written than messages of ssh need. The text completes `the other side`.
  var onFlood: (String) -> Void = { _ in }

  /// In bytes.
  private static let most = 2048
  /// Maximum size of all messages, in bytes.
  private static let mostInAll = 256 << 10

  init(adopting descriptor: Int32) {
    self.descriptor = descriptor
    watch = DescriptorWatch(closing: descriptor) { [weak self] in self?.read() }
  }

  private func read() {
    let (pieces, isOver) = SSHConnection.read(descriptor)
    bytes = Array((bytes + pieces).suffix(Self.most))
    total += pieces.count
    if isOver { watch = nil }
    guard total > Self.mostInAll, watch != nil else { return }
    watch = nil
    onFlood("wrote more than \(Self.mostInAll >> 10) KiB of messages that are no answer of lsopen")
  }

  /// The last lines, as one.
  var lastLines: String {
    if watch != nil { read() }
    return String(decoding: bytes, as: UTF8.self)
      .split(whereSeparator: \.isNewline).suffix(3).joined(separator: "; ")
  }

  func close() {
    watch = nil
    onFlood = { _ in }
  }
}
