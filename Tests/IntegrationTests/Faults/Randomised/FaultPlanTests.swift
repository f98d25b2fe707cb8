import Testing

@Suite("The plan of a randomised run", .timeLimit(.minutes(30)))
struct FaultPlanTests {
  private func plan(_ seed: UInt64) -> FaultPlan { FaultPlan(seed: seed, length: 30) }

  @Test("is the same for the same seed, and another for another") func seeds() {
    let plans = (1...100).map(plan)
    #expect(plans == (1...100).map(plan))
    #expect(Set(plans.map(\.steps)).count == plans.count)
  }

  @Test("prints every step with its number") func printed() {
    let lines = "\(plan(7))".split(separator: "\n")
    #expect(lines.count == plan(7).steps.count)
    #expect(lines.last == "7/34: settle")
  }

  @Test("numbers its opens in their order, and comes back only to those") func numbers() {
    for plan in (1...100).map(plan) {
      var opened = 0
      for step in plan.steps {
        switch step {
        case .open(let open), .abandon(let open), .orphan(let open), .stopReading(let open):
          #expect(open.number == opened)
          opened += 1
        case .flood(let opens):
          #expect(opens.map(\.number) == Array(opened..<opened + opens.count))
          opened += opens.count
        case .askAgain(let number), .cancel(let number): #expect((0..<opened).contains(number))
        case .settle, .live, .killHandler, .stealToken, .killDaemon, .stopReadingAnswers,
          .damageRecord:
          break
        }
      }
    }
  }

  @Test("has every kind of step and of fault in the seeds that are always run") func kinds() {
    let steps = (1...200).flatMap { plan($0).steps }
    let kinds = Set(steps.map { "\($0)".split(separator: " ").first })
    #expect(kinds.isSuperset(of: ["open", "ask", "cancel", "settle", "kill", "check"]))
    let lives = steps.compactMap { step in
      if case .live(let life, _) = step { life } else { nil }
    }
    #expect(Set(lives.map(\.launch)) == Set(HandlerLife.Launch.allCases))
    #expect(Set(lives.flatMap(\.deliveries)) == Set(HandlerLife.Delivery.allCases))
    #expect(steps.contains { if case .flood = $0 { true } else { false } })
    #expect(steps.contains { if case .abandon = $0 { true } else { false } })
    #expect(steps.contains { if case .stopReading = $0 { true } else { false } })
    #expect(steps.contains { if case .orphan = $0 { true } else { false } })
    #expect(steps.contains { if case .damageRecord = $0 { true } else { false } })
    #expect(steps.contains(.stopReadingAnswers))
    #expect(steps.contains(.killDaemon))
  }
}
