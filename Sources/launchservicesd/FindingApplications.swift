internal import BusContract
internal import DBus
internal import LaunchRules

extension Daemon {
  /// Applications, best first.
  func find(_ query: ApplicationQuery) throws(BusError) -> [InstalledApplication] {
    let registry = dispatcher.registry
    switch query {
    case .url(let text):
      do throws(OpenFailure) {
        let url = try RequestedURL(text, longest: settings.maximumURLLength)
        return registry.candidates(for: url.scheme, host: url.host).compactMap {
          registry.application($0.identifier)
        }
      } catch {
        throw error.busError
      }
    case .identifier(let text):
      return registry.copies(of: try identifier(text, "option 'bundle-identifier'"))
    case .name(let name): return registry.applications(named: name)
    case .path(let path): return registry.applications(at: path)
    }
  }
}
