// Package sys describes files as Linux does: inode numbers, mode bits, owners and all three times,
// on systems that have them and, with sensible values, on those that don't.
package sys
