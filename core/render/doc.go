// Package render makes of a command's output what is kept or shown of it: the
// bytes as they came ([Raw]), the text that they mean ([text.Folder]), or what a
// person would see ([Screen]).
//
// All three are a [Renderer]. Package core keeps what one of them says; a
// program that shows output as it comes has a [Stream] in front of it. Nothing
// here is safe for concurrent use.
package render
