/// The version of all programs and packages. This is its only place: `systemd/version` reads this line. The first entry
/// of `systemd/debian/changelog` says what the version changed.
package let version = "0.1.0"
