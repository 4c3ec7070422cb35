// Package wheel gets Python's packages for the python of the sandbox: it asks a
// simple index for wheels, finds out which belong together, unpacks those that are
// nothing but Python, and keeps them in a directory that commands read. Indexes and
// wheels are not trusted: all of them is bounded, and what is unpacked has the sum
// that the index said.
package wheel
