/// A queue: to append an element and to remove the first one takes constant time on average.
struct FirstInFirstOut<Element>: Sequence {
  private var elements: [Element?] = []
  private var start = 0

  var count: Int { elements.count - start }
  var isEmpty: Bool { count == 0 }
  var first: Element? { isEmpty ? nil : elements[start] }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func prepend(_ element: Element) {
    guard start > 0 else { return elements.insert(element, at: 0) }
    start -= 1
    elements[start] = element
  }

  mutating func removeFirst() -> Element? {
    guard let element = first else { return nil }
    elements[start] = nil
    start += 1
    if isEmpty {
      elements.removeAll(keepingCapacity: elements.count <= 64)
      start = 0
    } else if start >= 64, start * 2 >= elements.count {
      elements.removeFirst(start)
      start = 0
    }
    return element
  }

  mutating func removeAll(where isUseless: (Element) -> Bool) {
    elements = elements[start...].filter { element in
      guard let element else { return false }
      return !isUseless(element)
    }
    start = 0
  }

  func makeIterator() -> some IteratorProtocol<Element> {
    elements[start...].lazy.compactMap(\.self).makeIterator()
  }
}
