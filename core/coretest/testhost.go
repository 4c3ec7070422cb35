package coretest

import (
	"strconv"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// TestHost tests a host that has ptys, signals, and sh with its usual tools.
// [HostTests] is for hosts that have less.
func TestHost(t *testing.T, newHost func(t *testing.T) driver.Host) {
	HostTests{New: newHost, Pty: true, Commands: POSIXCommands()}.Run(t)
}

// HostTests is the suite that every driver.Host passes. No test of it depends
// on how long something takes: they wait for what must happen.
type HostTests struct {
	// New returns the host of one test. It may leave work to t.Cleanup.
	New func(t *testing.T) driver.Host

	// Pty says that the host has ptys: then most tests run on both, pipes and ptys.
	Pty bool

	// Commands are what the tests run on the host.
	Commands HostCommands
}

// HostCommands are commands, as they are called on some host, that do what the
// tests need. The tests of a command that is left out are skipped.
type HostCommands struct {
	// Exit ends with the given code, 0 to 255, and writes nothing.
	Exit func(code int) core.Command
	// Print writes its arguments, each followed by a newline.
	Print func(args []string) core.Command
	// Streams writes "out\n" to standard output, then "err\n" to standard error.
	Streams core.Command
	// Zeros writes '0' n times and ends.
	Zeros func(n int) core.Command
	// Flood writes without end, as fast as it can.
	Flood core.Command
	// Line is a shell line, so without Args, that writes "a b\n".
	Line core.Command
	// Pwd writes the directory it is in and a newline.
	Pwd core.Command
	// Getenv writes the value of an environment variable and a newline.
	Getenv func(name string) core.Command
	// Cat copies standard input to standard output until its end.
	Cat core.Command
	// Size writes its terminal's size, "24 80\n", once per line it reads.
	Size core.Command

	// Block writes "ready\n" and does nothing more, reading no input, until a
	// signal such as SIGTERM ends it.
	Block core.Command
	// Stubborn is Block, but does not end by SIGTERM.
	Stubborn core.Command
	// SelfKill sends itself SIGKILL.
	SelfKill core.Command
	// Tree starts a child that is Block, and waits for it.
	Tree core.Command
	// Orphan starts a child that is Block and survives its parent, also on a
	// pty. When "ready\n" is written Orphan ends with code 0.
	Orphan core.Command
}

// POSIXCommands are the commands of a host that has sh and the usual tools,
// head -c among them.
func POSIXCommands() HostCommands {
	sh := func(line string, args ...string) core.Command {
		return core.Command{Command: "sh", Args: append([]string{"-c", line, "sh"}, args...)}
	}
	const block = `echo ready; exec sleep 1000`
	return HostCommands{
		Exit:    func(code int) core.Command { return sh(`exit "$1"`, strconv.Itoa(code)) },
		Print:   func(args []string) core.Command { return sh(`for a; do printf '%s\n' "$a"; done`, args...) },
		Streams: sh(`echo out; echo err >&2`),
		Zeros:   func(n int) core.Command { return sh(`head -c "$1" /dev/zero | tr '\000' 0`, strconv.Itoa(n)) },
		Flood:   sh(`exec cat /dev/zero`),
		Line:    core.Command{Command: `echo b a | { read x y; echo $y $x; }`},
		Pwd:     sh(`pwd -P`),
		Getenv:  func(name string) core.Command { return sh(`eval "printf '%s\n' \"\$$1\""`, name) },
		Cat:     sh(`exec cat`),
		Size:    sh(`while read line; do stty size; done`),

		Block:    sh(block),
		Stubborn: sh(`trap '' TERM; ` + block),
		SelfKill: sh(`kill -KILL $$`),
		Tree:     sh(`(` + block + `) & wait`),
		Orphan:   sh(`trap '' HUP; (exec sleep 1000) & echo ready`),
	}
}

// Run runs the suite as subtests, each named NAME/pipe or NAME/pty.
func (h HostTests) Run(t *testing.T) {
	for _, test := range hostTests {
		t.Run(test.name, func(t *testing.T) {
			if test.modes != onPty {
				t.Run("pipe", func(t *testing.T) { test.run(newHostTest(t, h, false)) })
			}
			if test.modes != onPipe {
				t.Run("pty", func(t *testing.T) {
					if !h.Pty {
						t.Skip("the host has no ptys")
					}
					test.run(newHostTest(t, h, true))
				})
			}
		})
	}
}

// hostModes says what a test's commands are connected to.
type hostModes uint8

const (
	onBoth hostModes = iota
	onPipe
	onPty
)

var hostTests = []struct {
	name  string
	modes hostModes
	run   func(h *hostTest)
}{
	{"resolve_args_are_literal", onBoth, testArgs},
	{"resolve_shell_line", onBoth, testLine},
	{"resolve_missing_executable", onPipe, testMissingExecutable},
	{"resolve_missing_cwd", onPipe, testMissingCwd},
	{"start_cancelled", onPipe, testStartCancelled},
	{"start_in_parallel", onBoth, testStartInParallel},
	{"start_cwd", onBoth, testCwd},
	{"start_env", onBoth, testEnv},
	{"start_traceparent", onBoth, testTraceparent},

	{"exit_code", onBoth, testExitCode},
	{"exit_signal", onBoth, testExitSignal},
	{"exit_without_output", onBoth, testExitWithoutOutput},
	{"exit_before_output_ends", onBoth, testOrphan},

	{"output_streams", onBoth, testStreams},
	{"output_one_stream", onBoth, testOneStream},
	{"output_complete", onBoth, testOutputComplete},
	{"output_flood_is_bounded", onBoth, testFlood},

	{"input_closed", onBoth, testInputClosed},
	{"input_write_and_close", onBoth, testInput},
	{"input_large", onPipe, testLargeInput},
	{"input_blocked", onBoth, testBlockedInput},
	{"input_awaited", onPty, testAwaitedInput},

	{"resize_seen", onPty, testResize},
	{"resize_ignored", onPipe, testResizeIgnored},

	{"signal_ends", onBoth, testSignal},
	{"signal_ignored_then_kill", onBoth, testKill},
	{"signal_tree", onBoth, testSignalTree},
	{"signal_after_exit", onBoth, testSignalAfterExit},
	{"signal_unknown", onPipe, testUnknownSignal},

	{"close_ends_everything", onBoth, testClose},
	{"close_orphan", onBoth, testCloseOrphan},
	{"close_before_output", onBoth, testCloseBeforeOutput},
	{"close_while_sink_is_stuck", onBoth, testCloseStuckSink},
	{"close_during_everything", onBoth, testHammer},
}
