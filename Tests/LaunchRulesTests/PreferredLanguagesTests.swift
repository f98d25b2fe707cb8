import LaunchRules
import Testing

@Suite struct PreferredLanguagesTests {
  static let vectors: [([String: String], [String])] = [
    ([:], []),
    (["LANG": "de_AT.UTF-8"], ["de-at", "de"]),
    (["LANG": "de"], ["de"]),
    (["LANG": "de", "LC_MESSAGES": "fr_FR"], ["fr-fr", "fr"]),
    (["LANG": "de", "LC_MESSAGES": "fr_FR", "LC_ALL": "it"], ["it"]),
    (["LANG": "de", "LC_ALL": ""], ["de"]),
    (["LANG": "de", "LANGUAGE": "sv:fr_CA:de"], ["sv", "fr-ca", "fr", "de"]),
    (["LANG": "de", "LANGUAGE": ""], ["de"]),
    (["LANGUAGE": "sv"], []),
    (["LANG": "C", "LANGUAGE": "sv"], []),
    (["LC_ALL": "POSIX", "LANG": "de"], []),
    (["LANG": "C.UTF-8"], []),
    (["LANG": "C.UTF-8", "LANGUAGE": "sv"], ["sv"]),
    (["LANG": "de", "LANGUAGE": "sv:C:de"], ["sv"]),
    (["LANG": "zh_TW.UTF-8"], ["zh-tw", "zh-hant", "zh"]),
    (["LANG": "zh_CN"], ["zh-cn", "zh-hans", "zh"]),
    (["LANG": "sr_RS.UTF-8@latin"], ["sr-rs", "sr-latn", "sr"]),
    (["LANG": "de_DE@euro"], ["de-de", "de"]),
    (["LANG": "_"], []),
  ]

  @Test("R1.8 the languages are those that gettext would take", arguments: vectors)
  func names(environment: [String: String], names: [String]) {
    #expect(PreferredLanguages { environment[$0] }.names == names)
  }

  @Test("Folders are found in either spelling and any case, best first")
  func folders() {
    let languages = PreferredLanguages { ["LANGUAGE": "pt_BR:en", "LANG": "x"][$0] }
    #expect(
      languages.sort(["en.lproj", "fr.lproj", "PT.lproj", "pt_BR.lproj", "en", "Base.lproj"])
        == ["pt_BR.lproj", "PT.lproj", "en.lproj"])
  }
}
