internal import Foundation

/// The time for which tests wait for an event. Only tests that fail wait so long.
public enum Patience {
  static let variable = "LAUNCH_SERVICES_TEST_PATIENCE"

  /// The value of the variable `LAUNCH_SERVICES_TEST_PATIENCE`, in whole seconds from 1 to 86,400; without such a value
  /// 60 s. A busy machine, such as one of CI, may need more.
  public static let ofTests = duration(ProcessInfo.processInfo.environment[variable])

  static func duration(_ seconds: String?) -> Duration {
    guard let seconds = seconds.flatMap({ Int($0) }), (1...86_400).contains(seconds) else {
      return .seconds(60)
    }
    return .seconds(seconds)
  }
}
