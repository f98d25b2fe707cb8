internal import CCurl
internal import LaunchRules

/// Fetches the association file of one site by HTTPS: without redirects, with a valid certificate, and with
/// limits of size and time (R8.5).
struct Site {
  let domain: WebHost
  /// The server to connect to instead of the site, for tests: `ADDRESS:PORT`.
  var server: String?
  /// A file of certificates that are trusted instead of the system's, for tests.
  var certificates: String?

  private static let longestConnect = 10
  private static let longest = 30
  /// The timeout while no byte arrives, in seconds.
  private static let longestSilence = 10

  struct Failure: Error {
    let result: FetchResult
    let reason: String
  }

  /// What a site answered.
  struct Answer {
    var status = 0
    var contentType = ""
    /// Where the answer redirects to; empty for no redirect.
    var redirect = ""
    var bytes: [UInt8] = []
  }

  func file() throws(Failure) -> [UInt8] {
    let answer = try answer(to: AssociationFile.wellKnownPath)
    switch answer.status {
    case 200: return answer.bytes
    case 300..<400:
      throw Failure(result: .redirected, reason: "it answered \(answer.status)")
    case 403, 404: throw Failure(result: .denied, reason: "it answered \(answer.status)")
    default: throw Failure(result: .refused, reason: "it answered \(answer.status)")
    }
  }

  /// The answer to one request, whatever its status. No redirect is followed.
  func answer(to path: String) throws(Failure) -> Answer {
    guard let handle = unsafe curl_easy_init() else {
      throw Failure(result: .failed, reason: "libcurl does not start")
    }
    defer { unsafe curl_easy_cleanup(handle) }
    let body = Body()
    var problem = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
    let code = unsafe problem.withUnsafeMutableBufferPointer { buffer in
      unsafe ccurl_set_error_buffer(handle, buffer.baseAddress)
      return withExtendedLifetime(body) { unsafe ask(handle, path, body) }
    }
    if body.isTooLarge {
      throw Failure(result: .tooLarge, reason: FetchResult.tooLarge.sentence)
    }
    guard code == CURLE_OK else {
      let words = String(
        decoding: problem.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      throw Self.failure(code, words)
    }
    func text(_ pointer: UnsafePointer<CChar>?) -> String {
      unsafe pointer.map { unsafe String(cString: $0) } ?? ""
    }
    return Answer(
      status: unsafe ccurl_status(handle), contentType: unsafe text(ccurl_content_type(handle)),
      redirect: unsafe text(ccurl_redirect(handle)), bytes: body.bytes)
  }

  private func ask(
    _ handle: UnsafeMutableRawPointer, _ path: String, _ body: Body
  ) -> CURLcode {
    let server = unsafe server.map { unsafe curl_slist_append(nil, "\(domain):443:\($0)") } ?? nil
    let headers = unsafe curl_slist_append(nil, "Accept: application/json")
    defer {
      unsafe curl_slist_free_all(server)
      unsafe curl_slist_free_all(headers)
    }
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
      (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
      (CURLOPT_CONNECTTIMEOUT, Self.longestConnect), (CURLOPT_TIMEOUT, Self.longest),
      (CURLOPT_LOW_SPEED_LIMIT, 1), (CURLOPT_LOW_SPEED_TIME, Self.longestSilence),
      (CURLOPT_NOSIGNAL, 1),
    ]
    for (option, number) in numbers {
      let code = unsafe ccurl_set_number(handle, option, number)
      guard code == CURLE_OK else { return code }
    }
    var texts: [(CURLoption, String)] = [
      (CURLOPT_URL, "https://\(domain)\(path)"),
      (CURLOPT_PROTOCOLS_STR, "https"), (CURLOPT_USERAGENT, AssociationFile.fetcher),
    ]
    if let certificates { texts.append((CURLOPT_CAINFO, certificates)) }
    for (option, text) in texts {
      let code = unsafe ccurl_set_text(handle, option, text)
      guard code == CURLE_OK else { return code }
    }
    unsafe ccurl_set_list(handle, CURLOPT_HTTPHEADER, headers)
    unsafe ccurl_set_list(handle, CURLOPT_CONNECT_TO, server)
    let place = unsafe Unmanaged.passUnretained(body).toOpaque()
    unsafe ccurl_set_writer(
      handle,
      { bytes, size, count, place in
        guard let bytes = unsafe bytes, let place = unsafe place else { return 0 }
        let body = unsafe Unmanaged<Body>.fromOpaque(place).takeUnretainedValue()
        let given = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        // Returning a number other than the given one ends the transfer.
        return unsafe body.take(Array(given)) ? size * count : 0
      }, place)
    return unsafe curl_easy_perform(handle)
  }

  /// - Parameter words: what libcurl says about the failure; empty for nothing.
  private static func failure(_ code: CURLcode, _ words: String) -> Failure {
    let result: FetchResult =
      switch code {
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_ISSUER_ERROR,
        CURLE_SSL_CACERT_BADFILE:
        .badCertificate
      case CURLE_OPERATION_TIMEDOUT: .timedOut
      default: .unreachable
      }
    let general = unsafe String(cString: curl_easy_strerror(code))
    return Failure(result: result, reason: words.isEmpty ? general : words)
  }
}

/// The bytes that have arrived, up to the limit.
private final class Body {
  private(set) var bytes: [UInt8] = []
  private(set) var isTooLarge = false

  func take(_ more: [UInt8]) -> Bool {
    isTooLarge = bytes.count + more.count > AssociationFile.largestSize
    if !isTooLarge { bytes += more }
    return !isTooLarge
  }
}
