// Package coretest tests the machine, its drivers and their hosts from the
// outside.
//
// [Run] runs a script against a [Target]: the native machine ([Machine]), the
// machine behind package driver ([Driver]), or one inside a WebAssembly engine
// (package tests). The same script must give the same answers everywhere.
// [TestHost] is the suite that every driver.Host passes.
//
// # Scripts
//
// A script is a txtar archive whose comment says in prose what is shown and
// why, and whose file "script" holds one input or observation a line:
//
//	create s1 command="sleep" arg="100"
//	< resolve t1 command="sleep" arg="100"
//	resolved t1 path="/bin/sleep" argv="sleep" argv="100" via=args
//	< start t1 path="/bin/sleep" argv="sleep" argv="100" via=args
//	start t1
//	< started t1
//	kill t1
//	< signal t1 SIGTERM
//	< signal t1 SIGCONT
//	advance 5s
//	< signal t1 SIGKILL
//
// Inputs are named after the machine's methods; t1 is the first terminal
// created, and strings are quoted as in Go wherever they are not a word.
// Lines that begin with "<" are what came of the input above them: effects,
// the error of a command, or, after "<--", a JSON-RPC message. Blank lines and
// lines that begin with "#" are for the reader. Run with -update writes the
// observations anew; read the difference before you believe it.
//
//	config KEY=VALUE… [ask] [acp] [screens] [no-driver]
//	       first line: Config's fields, dashed. The reactor skips scripts with
//	       screens. no-driver is for scripts about what only the owner of a
//	       bare machine sees.
//	create SESSION command=C [arg=A]… [env=K=V]… [cwd=D] [root=D]… [pty]
//	       [interactive] [screen] [rows=N] [cols=N] [limit=N] [timeout=D]
//	       [render=R] [traceparent=T]
//	       [env-name=K]    a variable with "=" in its name, which env can't say
//	resolved ID (error=E [reason=R] | path=P [argv=A]… via=V [sandbox=S] [terms=T])
//	decision ID (allow [more] | deny=REASON)
//	start ID [error=E [reason=R]]
//	output ID STREAM BYTES
//	output_end ID
//	pending ID N           N bytes of output wait to be read (no-driver, no reactor)
//	exit ID (code=N | signal=S | unknown) [reason=R]
//	closed ID
//	write ID BYTES         written ID N         close_input ID
//	resize ID ROWS COLS    kill ID              release ID
//	kill_now ID            (no reactor)
//	close_session SESSION
//	advance D              time passes, and timers fire when they are due
//	clock D                time passes, and no timer fires (traces)
//	timeout                HandleTimeout (traces)
//	show ID                what the getters say
//	--> JSON               a line from an ACP peer (with config acp)
//	eof                    the ACP peer goes away (with config acp)
//	question ID [title=T] [text=T] [command=C]… [option=KIND:NAME]…
//	                       whoever decides asks the ACP peer; commands are split at
//	                       blanks, and an option's id is its number: 1 (with config
//	                       acp ask; no reactor). What comes is "< answer ID …".
//	cancel_question ID     whoever decides asks no more (no reactor)
//
// In JSON, $t1 stands for the first terminal's id.
package coretest
