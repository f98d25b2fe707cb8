internal import BusContract
package import DBus

/// The steps of a decision.
public struct Explanation: Codable, Hashable, Sendable {
  /// One step of a decision.
  public struct Step: Codable, Hashable, Sendable {
    /// The name of the step, such as `url` or `handler`.
    public var step: String
    /// The result of the step, without a full stop.
    public var sentence: String

    /// Creates a step with a name and a sentence.
    public init(_ step: String, _ sentence: String) {
      self.step = step
      self.sentence = sentence
    }
  }

  /// The steps, in order; several may have the same name.
  public var steps: [Step]
  /// The answer of `CanOpenURL`.
  public var canOpen: Bool
  /// Why the answer of `CanOpenURL` is false, such as `not-listed` or `no-application`; nil when it is true.
  public var canOpenCode: String?
  /// Whether a handler would receive the open.
  public var wouldOpen: Bool
  /// The bundle identifier of the handler; empty when there is none.
  public var handler: String
  /// The bundle identifier of the caller; empty when the caller is not an application.
  public var caller: String

  /// The first sentence of a step; nil without such a step.
  public func sentence(of step: String) -> String? { steps.first { $0.step == step }?.sentence }

  package init?(_ options: Options) {
    guard let canOpen = options["can-open"]?.asBoolean,
      let wouldOpen = options["would-open"]?.asBoolean,
      let handler = options["handler"]?.asString, let caller = options["caller"]?.asString
    else { return nil }
    steps = (options["steps"]?.elements ?? []).compactMap { step in
      guard let parts = step.elements, parts.count == 2, let name = parts[0].asString,
        let sentence = parts[1].asString
      else { return nil }
      return Step(name, sentence)
    }
    self.canOpen = canOpen
    canOpenCode = options[Key.canOpenCode]?.asString
    self.wouldOpen = wouldOpen
    self.handler = handler
    self.caller = caller
  }
}
