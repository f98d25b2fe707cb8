import Testing

@testable import Host

@Suite("The debounce of changes in folders") struct ChangeDebounceTests {
  @Test("a single change is reported after the pause") func single() {
    var debounce = ChangeDebounce()
    #expect(debounce.changed(at: 1_000) == ChangeDebounce.pause)
  }

  @Test("each further change begins the pause anew, but the patience with the burst ends")
  func burst() {
    var debounce = ChangeDebounce()
    _ = debounce.changed(at: 1_000)
    #expect(debounce.changed(at: 41_000) == ChangeDebounce.pause)
    #expect(debounce.changed(at: 221_000) == 30_000)
    #expect(debounce.changed(at: 300_000) == 0)
  }

  @Test("a burst that was reported does not count for the next one") func next() {
    var debounce = ChangeDebounce()
    _ = debounce.changed(at: 1_000)
    debounce.reported()
    #expect(debounce.changed(at: 900_000) == ChangeDebounce.pause)
  }
}
