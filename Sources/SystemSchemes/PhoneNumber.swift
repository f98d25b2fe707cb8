/// The syntax of telephone numbers.
enum PhoneNumber {
  /// An optional `+` in front, digits, and the separators of RFC 3966 in between; at least one digit.
  static func isValid(
    _ text: some StringProtocol, separators: Set<Character> = ["-", ".", "(", ")"]
  )
    -> Bool
  {
    let digits = text.first == "+" ? text.dropFirst() : text[...]
    return digits.contains(where: \.isASCIIDigit)
      && digits.allSatisfy { $0.isASCIIDigit || separators.contains($0) }
  }
}

extension Character {
  var isASCIIDigit: Bool { ("0"..."9").contains(self) && isASCII }
}
