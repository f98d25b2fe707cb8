/// What a randomised run has done so far.
struct RunFigures: CustomStringConvertible {
  var steps = 0
  var requests = 0
  /// How often each was put into a script, or done.
  private(set) var faults: [String: Int] = [:]
  /// Of every answer: a request that was asked for again may have two.
  var fates: [String: Int] = [:]
  private var mostDescriptors = 0
  private var mostKilobytes = 0

  mutating func fault(_ kind: String) { faults[kind, default: 0] += 1 }

  mutating func note(_ footprint: Footprint) {
    mostDescriptors = max(mostDescriptors, footprint.descriptors)
    mostKilobytes = max(mostKilobytes, footprint.kilobytes)
  }

  var description: String {
    func list(_ counts: [String: Int]) -> String {
      counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
    let injected = faults.values.reduce(0, +)
    return """
      \(steps) steps, \(injected) faults (\(list(faults))), \(requests) requests, answered \(list(fates)); \
      the daemon had at most \(mostDescriptors) descriptors and \(mostKilobytes) KiB
      """
  }
}
