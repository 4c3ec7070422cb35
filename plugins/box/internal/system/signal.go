package system

import (
	"strconv"
	"strings"
)

// signalNames are Linux's signals by number.
var signalNames = []string{
	"EXIT", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM", "STKFLT",
	"CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "POLL", "PWR", "SYS",
}

// signalNumber reads a signal's name, with or without SIG, or number.
func signalNumber(s string) (int, bool) {
	if n, err := strconv.Atoi(s); err == nil {
		return n, 0 <= n && n < len(signalNames)
	}
	name := strings.TrimPrefix(strings.ToUpper(s), "SIG")
	for n, v := range signalNames {
		if v == name {
			return n, true
		}
	}
	return 0, false
}
