/// What an opener is told, as far as the promises tell fates apart.
enum Fate: Hashable {
  case delivered, vetoed, refused, exited, cancelled
  /// `DeliveryUnknown`
  case unknown
  /// The daemon ended before it answered.
  case cutOff
  /// Anything else, which is never right.
  case other(String)
}

/// What is promised to openers, held against what happens.
///
/// Pure: it is told what was asked, what was done to the processes, what arrived and what openers were
/// told, and says at once what is wrong. When a process dies, or the daemon, nobody outside can know how
/// far it had come. So each request has a set of fates that are right for what was done so far, and the
/// one that is observed must be in the set:
///
/// * `delivered` always; it has arrived once, before its opener is told;
/// * `vetoed` and `refused` when a process of the application was to do that, and then it has not arrived,
///   or arrived once;
/// * `exited` when a process of the application was to end, or was killed; it arrived at most once;
/// * `cancelled` when that was asked for and accepted; it arrived at most once;
/// * `cutOff` without a name and `unknown` with one, when the daemon was killed after it was asked for, or when its
///   record was damaged, also after another fate was told.
///
/// In whatever order it is told of requests under way, those of one client arrive at an application in the
/// order they were sent in, and all in that of the numbers in their receipts. Not those that were asked for
/// again: they have the place of the second asking.
struct Promises {
  enum Event: Hashable {
    /// - Parameter client: whose opens stay in order; nil for an opener with a connection of its own.
    case asked(url: String, application: Int, client: Int?, hasRequestID: Bool)
    case askedAgain(url: String)
    /// The daemon has accepted that.
    case cancelled(url: String)
    /// Something is done to processes of the application, because of which these fates are right, too.
    case mayBeTold(Set<Fate>, application: Int)
    case daemonKilled
    /// What was recorded before may be lost.
    case recordDamaged
    case arrived(url: String, application: Int)
    /// - Parameter number: of the receipt; nil when there is none.
    case told(url: String, Fate, number: UInt64?)
  }

  private struct Request {
    var application: Int
    var client: Int?
    var hasRequestID: Bool
    /// Its place among all, in the order they were sent in.
    var place: Int
    var arrivals = 0
    var fate: Fate?
    var number: UInt64?
    var isCancelled = false
    var wasAskedAgain = false
    var daemonWasKilled = false
    var mayBeForgotten = false
  }

  private var requests: [String: Request] = [:]
  private var mayBeTold: [Int: Set<Fate>] = [:]
  /// By application, in their order.
  private var arrivals: [Int: [String]] = [:]

  /// Those whose openers have been told nothing yet, in the order they were sent in.
  var withoutFate: [String] {
    requests.filter { $0.value.fate == nil }.sorted { $0.value.place < $1.value.place }.map(\.key)
  }

  /// - Returns: what is wrong now; empty when nothing is.
  mutating func observe(_ event: Event) -> [String] {
    switch event {
    case .asked(let url, let application, let client, let hasRequestID):
      guard requests[url] == nil else { return ["\(url) was asked for before"] }
      requests[url] = Request(
        application: application, client: client, hasRequestID: hasRequestID, place: requests.count)
      return []
    case .mayBeTold(let fates, let application):
      mayBeTold[application, default: []].formUnion(fates)
      return []
    case .daemonKilled:
      for (url, request) in requests where request.fate == nil {
        requests[url]?.daemonWasKilled = true
      }
      return []
    case .recordDamaged:
      for url in requests.keys { requests[url]?.mayBeForgotten = true }
      return []
    case .askedAgain(let url):
      return change(url) { $0.wasAskedAgain = true }
    case .cancelled(let url):
      return change(url) { $0.isCancelled = true }
    case .arrived(let url, let application):
      return change(url) { $0.arrivals += 1 } + checkArrival(of: url, at: application)
    case .told(let url, let fate, let number):
      return told(url, fate, number)
    }
  }

  private mutating func change(_ url: String, _ body: (inout Request) -> Void) -> [String] {
    guard var request = requests[url] else { return ["nobody has asked for \(url)"] }
    body(&request)
    requests[url] = request
    return []
  }

  private mutating func checkArrival(of url: String, at application: Int) -> [String] {
    guard let request = requests[url] else { return [] }
    var wrong: [String] = []
    if request.application != application {
      wrong.append("\(url) arrived at application \(application)")
    }
    if request.arrivals > 1 { wrong.append("\(url) arrived \(request.arrivals) times") }
    switch request.fate {
    case .delivered, .vetoed, .refused: wrong.append("\(url) arrived after its opener was told")
    case .exited, .cancelled, .unknown, .cutOff, .other, nil: break
    }
    arrivals[application, default: []].append(url)
    return wrong + overtaken(by: url, request)
  }

  /// Nothing that its client has sent later has arrived before it.
  private func overtaken(by url: String, _ request: Request) -> [String] {
    guard let client = request.client, !request.wasAskedAgain else { return [] }
    return (arrivals[request.application] ?? []).compactMap { earlier in
      guard let other = requests[earlier], other.client == client, !other.wasAskedAgain,
        other.place > request.place
      else { return nil }
      return "\(earlier) arrived before \(url), which its client had sent first"
    }
  }

  private mutating func told(_ url: String, _ fate: Fate, _ number: UInt64?) -> [String] {
    guard var request = requests[url] else { return ["nobody has asked for \(url)"] }
    if let first = request.fate {
      if fate == .unknown, request.mayBeForgotten, request.hasRequestID { return [] }
      return first == fate ? [] : ["the opener of \(url) was told \(first), and then \(fate)"]
    }
    request.fate = fate
    request.number = number
    requests[url] = request
    let isRight = mayBeTold(fate, request) && mayHaveArrived(fate).contains(request.arrivals)
    let wrong =
      isRight
      ? [] : ["the opener of \(url) was told \(fate), and it arrived \(request.arrivals) times"]
    return wrong + outOfOrder(in: request.application)
  }

  private func mayBeTold(_ fate: Fate, _ request: Request) -> Bool {
    switch fate {
    case .delivered: true
    case .vetoed, .refused, .exited: mayBeTold[request.application]?.contains(fate) ?? false
    case .cancelled: request.isCancelled
    case .unknown: request.daemonWasKilled && request.hasRequestID
    case .cutOff: request.daemonWasKilled && !request.hasRequestID
    case .other: false
    }
  }

  private func mayHaveArrived(_ fate: Fate) -> ClosedRange<Int> {
    switch fate {
    case .delivered, .refused: 1...1
    case .vetoed: 0...0
    case .exited, .cancelled, .unknown, .cutOff, .other: 0...1
    }
  }

  /// Receipts are numbered in the order in which requests were accepted; anew when the record was damaged.
  private func outOfOrder(in application: Int) -> [String] {
    let numbers = (arrivals[application] ?? []).compactMap { url in
      requests[url].flatMap { $0.wasAskedAgain || $0.mayBeForgotten ? nil : $0.number }
    }
    return numbers == numbers.sorted()
      ? [] : ["application \(application) got its requests in the order \(numbers)"]
  }
}
