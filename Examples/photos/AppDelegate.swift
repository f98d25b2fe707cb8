import Foundation
import LaunchServices

@main final class AppDelegate: ApplicationDelegate {
  func application(
    _ application: Application, open url: URL, options: [Application.OpenURLOptionsKey: Any] = [:]
  ) -> Bool {
    print("open \(url) for \(options[.sourceApplication] ?? "somebody")")
    return true
  }
}
