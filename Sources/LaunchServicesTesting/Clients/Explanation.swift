internal import BusContract
package import DBus

/// The path of a decision, step by step.
public struct Explanation: Codable, Hashable, Sendable {
  public struct Step: Codable, Hashable, Sendable {
    public var step: String
    public var sentence: String

    public init(_ step: String, _ sentence: String) {
      self.step = step
      self.sentence = sentence
    }
  }

  public var steps: [Step]
  public var canOpen: Bool
  public var wouldOpen: Bool
  /// Empty when there is none.
  public var handler: String
  /// Empty when the caller is no application.
  public var caller: String

  /// The first sentence of a step; nil when there is no such step.
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
    self.wouldOpen = wouldOpen
    self.handler = handler
    self.caller = caller
  }
}
