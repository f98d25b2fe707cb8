/// The file by which the message bus starts the owner of a name.
package enum BusService {
  private static let group = "D-BUS Service"

  /// The words of the command line by which the bus starts the owner of the name; empty when there is no such file, as the
  /// bus finds it.
  /// - Parameter places: the folders for data in which the bus looks, in this order.
  package static func words(of name: String, in places: [String]) -> [String] {
    for place in places {
      guard let file = try? KeyFile(path: "\(place)/dbus-1/services/\(name).service"),
        file.text("Name", in: group) == name
      else { continue }
      return ExecWords.of(file.text("Exec", in: group) ?? "")
    }
    return []
  }
}
