// Package index reads lists of plugins that can be had: for each what it is,
// where a published build of it lies, and the sum of that build, which is what
// makes it the one that was tried. There is one in this program, [Own]; others
// have their own. An index is not trusted: all in it is bounded and can be
// shown, and one with an error is refused whole.
package index
