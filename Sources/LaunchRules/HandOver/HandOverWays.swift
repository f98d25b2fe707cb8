/// The ways by which an application of the desktop would get a URL.
package enum HandOverWays {
  /// - Parameters:
  ///   - isStartedByBus: whether the message bus starts the application.
  ///   - entry: the protocol in which the running application is asked.
  package static func sentence(isStartedByBus: Bool, _ entry: HandOverTable.Entry?) -> String {
    if isStartedByBus {
      return
        "\(HandOver.Way.freedesktopApplication.text): the message bus starts the application if it does not run;"
        + " \(HandOver.Way.arguments.text) if the message bus does not know it"
    }
    guard let entry else {
      return
        "\(HandOver.Way.arguments.text): its program is started with the URL, and may pass the URL on to a process"
        + " that runs already"
    }
    return
      "\(HandOver.Way(entry.handOver).text) if the application runs; otherwise \(HandOver.Way.arguments.text): its"
      + " program is started with the URL"
  }
}
