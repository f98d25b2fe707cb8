extension Unicode.Scalar {
  /// Whether the scalar is invisible, ends a line or changes the text direction, so that a text may be
  /// displayed misleadingly. Spaces and combining accents are visible.
  package var isInvisible: Bool {
    guard value > 0x7e else { return value < 0x20 }
    // The blank Braille pattern, which is no white space for Unicode.
    if value == 0x2800 { return true }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned:
      return true
    // Fillers, joiners, variation selectors and tags.
    default: return properties.isDefaultIgnorableCodePoint
    }
  }
}
