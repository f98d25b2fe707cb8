/// The version of both commands.
package let version = "0.1.0"
