package main

import (
	"os"
	"strconv"
	"strings"
)

// processMark returns what no other process has: its number, when it was started, in clock ticks
// since the machine was, the namespace of our numbers, and which start of the machine that is. It
// is "" if there is no such process any more, or no /proc.
//
// https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
func processMark(pid int) string {
	proc := "/proc/" + strconv.Itoa(pid)
	stat, err := os.ReadFile(proc + "/stat")
	if err != nil {
		return ""
	}
	space, err := os.Readlink("/proc/self/ns/pid") // "pid:[4026531836]"
	if err != nil {
		return ""
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	// The program's name is in brackets, and may have some in it. The state is the third field, and
	// the start the 22nd.
	_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return ""
	}
	return strings.Join([]string{strconv.Itoa(pid), fields[19], strings.Trim(space, "pid:[]"), strings.TrimSpace(string(boot))}, "-")
}

// isRunning reports whether the process with that mark is there. Of one in a namespace that is not
// ours nobody knows: it is not.
func isRunning(mark string) bool {
	number, _, _ := strings.Cut(mark, "-")
	pid, err := strconv.Atoi(number)
	return err == nil && pid > 0 && processMark(pid) == mark
}
