/// The substitution variables that are available in every association file (R8.15).
package enum PredefinedVariable: String, Hashable, Sendable, CaseIterable {
  case alpha, upper, lower, alnum, digit, xdigit, region, lang

  /// Length of the longest text, in characters.
  var longest: Int {
    switch self {
    case .alpha, .upper, .lower, .alnum, .digit, .xdigit: 1
    case .region: 2
    case .lang: 3
    }
  }

  func contains(_ text: String, caseSensitive: Bool) -> Bool {
    let bytes = text.utf8
    func isOne(_ test: (UInt8) -> Bool) -> Bool { bytes.count == 1 && bytes.allSatisfy(test) }
    return switch self {
    case .alpha: isOne(\.isASCIILetter)
    case .upper: isOne { $0.isASCIILetter && (!caseSensitive || $0 & 0x20 == 0) }
    case .lower: isOne { $0.isASCIILetter && (!caseSensitive || $0 & 0x20 != 0) }
    case .alnum: isOne { $0.isASCIILetter || $0.isASCIIDigit }
    case .digit: isOne(\.isASCIIDigit)
    case .xdigit: isOne { $0.isASCIIDigit || (0x61...0x66).contains($0 | 0x20) }
    case .region: Self.regions.contains(caseSensitive ? text : text.uppercased())
    case .lang: Self.languages.contains(caseSensitive ? text : text.lowercased())
    }
  }

  /// The two-letter codes of ISO 3166-1.
  private static let regions = Set(
    """
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT
    BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH
    ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT
    HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS
    LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI
    NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG
    SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG
    UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
    """.split(whereSeparator: \.isWhitespace).map(String.init))

  /// The two-letter codes of ISO 639-1, and the three-letter codes of languages of Apple's systems.
  private static let languages = Set(
    """
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de
    dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id
    ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu
    lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu
    rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr
    ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu fil haw yue
    """.split(whereSeparator: \.isWhitespace).map(String.init))
}
