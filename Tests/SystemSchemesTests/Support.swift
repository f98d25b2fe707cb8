import LaunchRules
import SystemSchemes

/// What is wrong with a URL; nil when it keeps its format.
func problem(_ text: String) -> String? {
  do throws(FormatProblem) {
    _ = try SystemURL(text)
    return nil
  } catch {
    return error.description
  }
}

/// What is told about a URL, one line each.
func told(_ text: String) -> [String] { CheckedURL(text, .checked).explanation }

/// The notes on a URL, one line each.
func notes(_ text: String) throws -> [String] {
  (try SystemURL(text)?.notes ?? []).map(\.description)
}
