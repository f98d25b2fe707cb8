extension Unicode.Scalar {
  /// Nobody sees it, or it ends a line or turns it around: a text that holds it reads as another one. A blank is
  /// seen, and an accent is seen on the letter before it.
  package var isInvisible: Bool {
    guard value > 0x7e else { return value < 0x20 }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned:
      return true
    // Fillers, joiners, selectors of variants, tags.
    default: return properties.isDefaultIgnorableCodePoint
    }
  }
}
