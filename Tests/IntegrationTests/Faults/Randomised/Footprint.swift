/// What the daemon and the processes it has started take at one moment.
struct Footprint: Hashable {
  /// Open in the daemon.
  var descriptors: Int
  /// Of the daemon, resident.
  var kilobytes: Int
  /// Processes whose parent the daemon is.
  var children: Int
  /// Of each application.
  var processes: [Int]

  /// In a debug build.
  static let mostKilobytes = 96 * 1024
  /// A process is watched by one, and its start or the reading of its details needs some for a moment.
  static let descriptorsOfProcess = 4
  /// A direct connection, with a second one that is watched.
  static let descriptorsOfConnection = 2

  /// - Parameters:
  ///   - idle: What a daemon takes that has nothing to do.
  ///   - strays: The processes of each application that were left to themselves: a parent has ended and
  ///     its child goes on, or the daemon has given them up, and says so in its log.
  ///   - connections: how many direct ones there may be.
  /// - Returns: what is wrong; empty when nothing is.
  func excesses(over idle: Footprint, strays: [Int], connections: Int = 0) -> [String] {
    var wrong: [String] = []
    let applications = processes.count
    // A process that is left to itself may keep a direct connection.
    let mostDescriptors =
      idle.descriptors + 2 + applications * Self.descriptorsOfProcess
      + (connections + strays.reduce(0, +)) * Self.descriptorsOfConnection
    if descriptors > mostDescriptors {
      wrong.append("the daemon has \(descriptors) descriptors, more than \(mostDescriptors)")
    }
    if kilobytes > Self.mostKilobytes {
      wrong.append("the daemon has \(kilobytes) KiB of memory, more than \(Self.mostKilobytes)")
    }
    // What is left to itself becomes the daemon's own.
    if children > applications + strays.reduce(0, +) {
      wrong.append("the daemon has \(children) children for \(applications) applications")
    }
    for (application, count) in processes.enumerated() where count > 1 + strays[application] {
      wrong.append(
        "application \(application) has \(count) processes, \(strays[application]) of them strays")
    }
    return wrong
  }
}
