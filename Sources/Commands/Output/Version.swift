/// The version of `lsopen` and `lsregister`.
package let version = "0.1.0"
