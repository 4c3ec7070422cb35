package archive

import (
	"fmt"
	"strings"
)

// zipLong are the letters of zip's long options.
var zipLong = map[string]string{
	"recurse-paths": "r", "quiet": "q", "junk-paths": "j", "exclude": "x", "include": "i", "delete": "d", "update": "u", "freshen": "f",
	"move": "m", "symlinks": "y", "store": "0", "fast": "1", "best": "9", "verbose": "v", "no-dir-entries": "D", "test": "T", "names-stdin": "@",
	"no-extra": "X", "latest-time": "o", "archive-comment": "z", "encrypt": "e", "password": "P", "grow": "g", "adjust-sfx": "A",
	"filesync": "FS", "suffixes": "n", "temp-path": "b", "output-file": "O", "from-date": "t", "before-date": "tt", "help": "h", "version": "v",
	"compress-1": "1", "compress-6": "6", "compress-9": "9", "from-crlf": "ll", "to-crlf": "l", "DOS-names": "k", "strip-extra": "X",
}

// parse reads the arguments. It returns false if the command is over.
func (z *zipper) parse(args []string) bool {
	list := byte(0) // i or x while their patterns follow
	literal := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		if list != 0 && a == "@" {
			list = 0
			continue
		}
		if literal || len(a) < 2 || a[0] != '-' {
			z.operand(a, list)
			continue
		}
		if a == "--" {
			literal, list = true, 0
			continue
		}
		list = 0
		letters, value, hasValue := a[1:], "", false
		if a[1] == '-' {
			var name string
			name, value, hasValue = strings.Cut(a[2:], "=")
			if letters = zipLong[name]; letters == "" {
				return z.badUsage(fmt.Sprintf("long option '%s' not supported", name))
			}
		}
		for k := 0; k < len(letters); k++ {
			switch c := letters[k]; {
			case c == 'x' || c == 'i':
				list = c
				if rest := letters[k+1:]; rest != "" {
					z.operand(rest, c)
				}
				if hasValue {
					z.operand(value, c)
				}
				k = len(letters)
			case c == 'n' || c == 'b' || c == 'P' || c == 'O' || c == 't':
				z.flags[c] = true
				if letters[k:] == "tt" {
					z.flags['B'] = true
				}
				if rest := strings.TrimPrefix(letters[k+1:], "t"); rest == "" && !hasValue {
					i++
				}
				k = len(letters)
			case '0' <= c && c <= '9':
				z.level = int(c - '0')
			case c == 'F' && letters[k:] == "FS":
				k++
				z.flags['S'] = true
			case strings.IndexByte("rqjdufmyDT@XozevgAlkShLw", c) >= 0:
				z.flags[c] = true
			default:
				return z.badUsage(fmt.Sprintf("short option '%c' not supported", c))
			}
		}
	}
	switch {
	case z.flags['e'] || z.flags['P']:
		return z.badUsage("this sandbox has no encryption")
	case z.flags['h'] || z.flags['L']:
		z.env.Help()
		return false
	}
	return true
}

// operand takes the archive's name, a file or a pattern.
func (z *zipper) operand(a string, list byte) {
	switch {
	case list == 'x':
		z.exclude = append(z.exclude, a)
	case list == 'i':
		z.include = append(z.include, a)
	case z.archive == "":
		z.archive = a
	default:
		z.files = append(z.files, a)
	}
}

func (z *zipper) badUsage(what string) bool {
	z.complain("Invalid command arguments ("+what+")", zipUsage)
	return false
}

// complain ends the command with a message, on standard output as zip does.
func (z *zipper) complain(what string, status int) {
	fmt.Fprintf(z.log, "\nzip error: %s\n", what)
	z.status = status
}
