import Testing

@testable import LaunchServices

@Suite("The memory of requests")
struct RequestMemoryTests {
  @Test("answers a repeated request as the first time") func repeated() {
    var memory = RequestMemory()
    memory.record(7, true)
    memory.record(8, false)
    #expect(memory.answer(to: 7, isRepeated: true) == true)
    #expect(memory.answer(to: 8, isRepeated: true) == false)
    #expect(memory.answer(to: 9, isRepeated: true) == nil)
  }

  @Test("has an answer for each document of a request") func documents() {
    var memory = RequestMemory()
    memory.record(7, [false, true])
    #expect(memory.answers(to: 7, isRepeated: true) == [false, true])
  }

  @Test("is not asked for a new request, whose number may be used again") func new() {
    var memory = RequestMemory()
    memory.record(7, true)
    #expect(memory.answer(to: 7, isRepeated: false) == nil)
  }

  @Test("forgets the oldest") func bounded() {
    var memory = RequestMemory(limit: 2)
    for request in 1...3 as ClosedRange<UInt64> { memory.record(request, true) }
    memory.record(3, false)
    #expect(memory.answer(to: 1, isRepeated: true) == nil)
    #expect(memory.answer(to: 2, isRepeated: true) == true)
    #expect(memory.answer(to: 3, isRepeated: true) == false)
  }
}
