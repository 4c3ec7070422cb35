// Command terrarium runs commands in terminals, for people and for AI agents.
//
//	terrarium run -- make test
//	terrarium serve --stdio
//
// "terrarium help" lists the commands. This package parses flags, connects
// the packages that do the work, and prints.
package main

import (
	"cmp"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/hostnative/helper"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

func main() {
	helper.Main() // we are our own keeper
	worker.Main() // and our own workers

	// Without this a write to a broken pipe would end us at once, and what we
	// run would live on. It must not be ignored: commands would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	root := newRoot()
	root.SetArgs(os.Args[1:])
	os.Exit(report(os.Stderr, root.Execute()))
}

const rootHelp = `usage: terrarium COMMAND [flags]
  run         run one command: live output, its exit status
  serve       answer terminal/* of the Agent Client Protocol
  proxy       sit between an editor and an agent, and serve its terminals
  client      give an agent a prompt, and serve what it asks for
  mcp         terminals for agents that speak the Model Context Protocol
  conform     an agent that tries whatever ACP client starts it
  web         serve the page: the sandbox in a browser
  harness     have an agent do a task at a shell: the Term Challenge
  screen      print the screen that bytes draw
  play        play a recording of a terminal
  shot        print a picture of a terminal, as SVG or text
  test        test a program at a terminal by a script
  keys        print the bytes of tmux key names
  audit       check a record of what ran
  plugins     find, add and remove commands of the sandbox
  policy      check the rules for commands, and explain a line
  host        the far side of terminals that are had from elsewhere
  workspace   take back what was changed in a directory elsewhere
  fleet       place terminals on many machines
  doctor      say what can run here
  version     print the version
More: completion, help COMMAND|on|sandbox|native|limits|permission|rules|agent.
`

// newRoot returns the command line's grammar. Each command's Long is the whole
// of its help, and Use the line that wrong usage is answered with.
func newRoot() *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:               "terrarium COMMAND [flags]",
		Long:              rootHelp,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return nil
			case version: // which is no command's
				return noArgs(cmd, args)
			}
			return unknownCommand(cmd, args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				_, err := io.WriteString(cmd.OutOrStdout(), readBuild().String()+"\n")
				return err
			}
			io.WriteString(cmd.ErrOrStderr(), cmd.Long)
			return exitStatus(statusUsage)
		},
	}
	// Not cobra's own: its words come from a template, and with text/template in the program the
	// linker keeps every exported method there is.
	root.Flags().BoolVarP(&version, "version", "v", false, "")
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { io.WriteString(cmd.OutOrStdout(), cmd.Long) })
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newRun(), newServe(), newProxy(), newClient(), newMCP(), newConform(), newWeb(), newHarness(), newScreen(), newPlay(), newShot(), newTest(), newKeys(), newParse(), newAudit(), newPlugins(), newPolicy(), newHost(), newWorkspace(), newFleet(), newDoctor(), newVersion(), newRelay(), newTools(), newCompletion())
	root.SetHelpCommand(newHelp(root))
	return root
}

const helpHelp = `usage: terrarium help [COMMAND | TOPIC]

Prints what a command does and the flags it takes. More topics:

  on          where else commands run: --on
  native      what --sandbox confines native commands to
  sandbox     what --host wasm has: commands, directories
  limits      what --limit bounds: time, memory, output and others
  permission  who lets a command start, the record, and the environment
  rules       what a policy file may hold
  agent       what can be done about agents that run commands by themselves
`

// A topic is what help knows besides commands: flags that several of them share.
type topic struct {
	help  string
	flags []string
}

var topics = map[string]topic{
	"sandbox":    {sandboxHelp, append([]string{"sandbox-required"}, sandboxFlags...)},
	"native":     {nativeHelp, nativeTopic},
	"on":         {onHelp, []string{"on", "no-install", "creds", "tls-ca", "label", "place-timeout", "workspace", "workspace-limit", "workspace-git"}},
	"limits":     {limitsHelp, []string{"limit", "memory"}},
	"permission": {permissionHelp, permissionTopic},
	"rules":      {rulesHelp, nil},
	"agent":      {agentHelp, []string{"drop-shell", "sandbox-agent", "agent-write", "agent-net"}},
}

// otherTopics are names under which people look for a topic.
var otherTopics = map[string]string{"environment": "permission", "otel": "permission", "record": "permission"}

func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:                   "help [COMMAND | TOPIC]",
		Short:                 "print the help of a command",
		Hidden:                true, // the last line of the help has it
		Long:                  helpHelp,
		DisableFlagsInUseLine: true,
		RunE: func(help *cobra.Command, args []string) error {
			if len(args) > 0 {
				if t, ok := topics[cmp.Or(otherTopics[args[0]], args[0])]; ok {
					if err := noArgs(help, args[1:]); err != nil {
						return err
					}
					_, err := io.WriteString(root.OutOrStdout(), t.help)
					return err
				}
			}
			cmd, rest, err := root.Find(args)
			switch {
			case err != nil, len(rest) > 0 && cmd == root:
				return unknownTopic(help, root, args[0])
			case len(rest) > 0 && cmd.HasSubCommands():
				return unknownCommand(cmd, rest[0])
			case len(rest) > 0:
				return noArgs(help, rest)
			}
			return cmd.Help()
		},
	}
}

// noArgs is for commands that take nothing but flags.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return &usageError{cmd.UseLine(), errors.New("unexpected argument: " + args[0])}
}
