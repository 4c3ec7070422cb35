// Package ring keeps the newest output of a command, up to a number of bytes.
//
// A [Ring] takes valid UTF-8 in whole runes and gives back valid UTF-8: what it
// returns is never longer than the limit and never starts within a rune, even
// if that makes it a few bytes shorter. Every byte has an offset for life,
// counted from the first one ever appended, so that a reader can come back for
// what is new and learn how much it missed.
//
// Memory grows with the output and never beyond the limit. A Ring is not safe
// for concurrent use.
package ring
