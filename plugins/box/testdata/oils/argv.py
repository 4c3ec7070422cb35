#!/bin/bash
# Prints its arguments as Python 2 prints a list of byte strings, in place of the suite's program of
# this name.
for a in "$@"; do
	printf '%s' "$a" | od -An -v -tx1 | tr -d '\n'
	echo
done | awk '
BEGIN {
	for (i = 32; i < 127; i++) text[sprintf("%02x", i)] = sprintf("%c", i)
	text["09"] = "\\t"; text["0a"] = "\\n"; text["0d"] = "\\r"; text["5c"] = "\\\\"
	printf "["
}
{
	n = split($0, byte, " ")
	single = double = 0
	for (i = 1; i <= n; i++) { single += byte[i] == "27"; double += byte[i] == "22" }
	quote = single && !double ? "\"" : "\047"
	s = ""
	for (i = 1; i <= n; i++) {
		if (byte[i] == "27" && quote == "\047") s = s "\\\047"
		else s = s (byte[i] in text ? text[byte[i]] : "\\x" byte[i])
	}
	printf "%s%s%s%s", (NR > 1 ? ", " : ""), quote, s, quote
}
END { print "]" }'
