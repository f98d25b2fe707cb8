/// Decides which opens of a remote are considered at all; `ConfirmationRule` decides whether the user is asked.
package enum RemoteRule {
  /// - Parameter rights: nil when the user has removed the remote.
  /// - Throws: NotPermitted with the reason.
  package static func permit(
    _ question: OpenRule.Question, of remote: RemoteName, _ rights: RemoteRights?
  ) throws(OpenFailure) {
    guard let rights else {
      throw .notPermitted("there is no \(remote); 'lsregister remote list' shows the remotes")
    }
    guard case .url(let scheme, _, _) = question.subject, question.designated == nil else {
      throw .notPermitted(
        "\(remote) may open URLs, but no files, no applications and no quick actions, and may not choose"
          + " the application")
    }
    guard question.device == nil else {
      throw .notPermitted("\(remote) may not send URLs to a device")
    }
    if let objection = RemoteRights.objection(toAllowing: scheme) { throw .notPermitted(objection) }
    guard rights[scheme] != .deny else {
      throw .notPermitted(
        "\(remote) may not open \(scheme) URLs; on the machine of the user, 'lsregister remote ask"
          + " \(remote.text) \(scheme)' changes that")
    }
  }

  /// A sentence about the right of the remote.
  /// - Parameter hasPublicHost: see `OpenRule.Question`.
  package static func explanation(
    of scheme: URLScheme, hasPublicHost: Bool, _ remote: RemoteName, _ rights: RemoteRights?
  ) -> String {
    switch rights?[scheme] {
    case .allow where !hasPublicHost:
      "the user is asked before \(remote) opens a page of this machine or of the local network"
    case .allow: "\(remote) may open \(scheme) URLs without a question"
    case .ask: "the user is asked before \(remote) opens a \(scheme) URL"
    case .deny: "\(remote) may not open \(scheme) URLs"
    case nil: "there is no \(remote); 'lsregister remote list' shows the remotes"
    }
  }

  /// Why the remote gets the answer no to `canOpenURL`; nil for yes: only for what the remote may open without a
  /// question, so that the answers are no list of the installed applications.
  /// - Parameters:
  ///   - scheme: nil for a text that is no URL.
  ///   - hasPublicHost: see `OpenRule.Question`.
  package static func canOpenCode(
    _ scheme: URLScheme?, hasPublicHost: Bool, _ rights: RemoteRights?, in registry: Registry
  ) -> CanOpenCode? {
    guard let scheme else { return .invalidURL }
    guard let rights, rights[scheme] == .allow, hasPublicHost else { return .notPermitted }
    return registry.hasHandler(for: scheme, opener: nil) ? nil : .noApplication
  }
}
