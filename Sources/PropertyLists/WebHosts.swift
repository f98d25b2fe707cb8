internal import LaunchRules

/// Reads `LaunchServicesWebHosts`: the hosts whose `http` and `https` URLs a system application receives
/// instead of the browser (R2.12). This key is an extension of this project; Apple's systems have a built-in
/// list.
extension LenientDictionary {
  static let webHostsKey = "LaunchServicesWebHosts"

  func webHosts(_ context: ReadingContext) -> [WebHost] {
    guard contains(Self.webHostsKey) else { return [] }
    guard context.isSystem else {
      context.report(
        .warning, Self.webHostsKey, "is for system applications only",
        "it was ignored: claim http and https, or use universal links")
      return []
    }
    var hosts: [WebHost] = []
    for host in list(Self.webHostsKey, { $0.webHost() }) where !hosts.contains(host) {
      hosts.append(host)
    }
    return hosts
  }
}

extension LenientValue {
  fileprivate func webHost() -> WebHost? {
    guard let expansion = text() else { return nil }
    if expansion.unresolved.isEmpty, let host = WebHost(expansion.text) { return host }
    context.report(
      .warning, path, "\(expansion.text.quoted) is not a host",
      "it was ignored: write the name alone, such as maps.example.com")
    return nil
  }
}
