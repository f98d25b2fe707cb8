/// A binary heap. The order of an element must not change while it is in the heap.
struct Heap<Element> {
  private var elements: [Element] = []
  private let isBefore: (Element, Element) -> Bool

  init(_ isBefore: @escaping (Element, Element) -> Bool) { self.isBefore = isBefore }

  var isEmpty: Bool { elements.isEmpty }

  mutating func insert(_ element: Element) {
    elements.append(element)
    var place = elements.count - 1
    while place > 0, isBefore(elements[place], elements[(place - 1) / 2]) {
      elements.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Removes the first element in the order of `isBefore`.
  mutating func removeFirst() -> Element? {
    guard let last = elements.popLast() else { return nil }
    guard let first = elements.first else { return last }
    elements[0] = last
    var place = 0
    while let child = firstChild(of: place), isBefore(elements[child], elements[place]) {
      elements.swapAt(child, place)
      place = child
    }
    return first
  }

  /// The child that comes first in the order of `isBefore`.
  private func firstChild(of place: Int) -> Int? {
    let left = 2 * place + 1
    guard left < elements.count else { return nil }
    let right = left + 1
    return right < elements.count && isBefore(elements[right], elements[left]) ? right : left
  }
}
