// Package regex matches POSIX regular expressions, basic and extended, with the extensions of GNU:
// \+ \? \| in basic ones, \< \> \b \B \w \W \s \S \` \' and back-references in both. The longest of
// the leftmost matches wins.
//
// Without back-references matching takes time linear in the text: a lazily built automaton says
// whether there is a match, and a search that never visits a state twice says where. With them it
// backtracks, up to a limit.
//
// Patterns of Perl can be read too, with look-around, atomic groups and \K (see perl.go). They
// backtrack where they use these.
//
// Text is UTF-8. A byte that is no part of a character is matched only by the same byte in a
// pattern, never by "." or a list. The rules are those of POSIX.1-2017 chapter 9; messages are
// those of glibc.
package regex
