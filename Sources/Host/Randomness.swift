internal import CHost
internal import Glibc

/// An unguessable name: 32 random bytes from the kernel as 64 hexadecimal digits.
package func randomToken() -> String {
  let count = 32
  let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
    filled = retrying { unsafe chost_random(buffer.baseAddress!, count) }
  }
  precondition(bytes.count == count, "the kernel gives up to 256 random bytes at once")
  let digits = Array("0123456789abcdef")
  return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}
