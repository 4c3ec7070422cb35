package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/rulebook"
	"github.com/terrarium-dev/terrarium/core/policy"
)

const policyHelp = `usage: terrarium policy COMMAND [flags]

Rules say which commands start, which somebody is asked about, and which must
not start. They judge what a line says, not what its programs do.

  init     write a first policy file, to be changed
  check    say which files hold, and what is wrong with them
  test     try the examples that the rules have
  explain  say what becomes of a line, command by command, and why

Of the rules that fit a command the strictest counts: deny, ask, allow. Files:

  /etc/terrarium/policy.toml               the machine's, always in force
  ~/.config/terrarium/policy.toml          the user's, or that of --policy
  DIR/.terrarium/policy.toml               of a session's directories: tightens

  [[rule]]
  id = "git-read"
  argv = ["git", ["status", "log"]]        words, or lists of which one fits
  decision = "allow"
  match = ["git status -sb"]               lines that must fall under it

"help rules" has all that a rule may hold, "help permission" who is asked.
`

const rulesHelp = `Rules: what stands in a policy file
  default = "ask"        allow, ask or deny what no rule names; without, ask
  [[rule]]               a rule; the strictest of those that fit counts
  id = "git-read"        its name: required, once in a file
  argv = ["git", ["status", "log"]]     the first words, required: a word, or a
                         list of which one fits; "*" any word, "**" any number.
                         More words may follow: ["ls"] is for ls -la too
  decision = "allow"     allow, ask or deny: required
  reason = "..."         why, for people and agents
  match, not_match       lists of lines that must, or must not, fall under it

Conditions, all of which must hold; in brackets, what holds without them:
  bin = "/opt/x/git"     the file that the name means [any; allow takes no path]
  redirects = "none"     "none", "read" or "any" files [allow: read; else any]
  env_assign = ["FOO"]   variables set for it, FOO or FOO=x, or "none" or "any"
                         [allow: none; else any]
  cwd = "roots"          below a session's directories, or a path [everywhere]
  session = "NAME"       in which sessions [all]
  inside = "workspace"   in a sandbox, or "strict" [or in none]; see "help on"
Only with allow:
  writes, files = "/tmp" where it may write by >, where its words are files
  flags = ["-o"]         options to pass though they write or run something
  unknown = true         with inside: also what shows only when it runs
`

func newPolicy() *cobra.Command {
	return newGroup("policy COMMAND [flags]", "check the rules for commands, and explain a line", policyHelp,
		newPolicyInit(), newPolicyCheck(), newPolicyTest(), newPolicyExplain())
}

const policyInitHelp = `usage: terrarium policy init [flags]

Writes a first policy file, as the user's, unless there is one. It allows
commands that read, build or test, and mkdir and touch in the session's
directories and /tmp. It denies a few, and the others are asked about. It is
meant to be read and changed.

  --print  print it instead
`

func newPolicyInit() *cobra.Command {
	var print bool
	cmd := &cobra.Command{
		Use:                   "init [flags]",
		Short:                 "write a first policy file",
		Long:                  policyInitHelp,
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if print {
				_, err := cmd.OutOrStdout().Write(policy.Starter)
				return err
			}
			file, err := rulebook.UserFile()
			if err != nil {
				return err
			}
			if err := rulebook.Create(file, policy.Starter); errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("%s: there is one: it is left as it is", file)
			} else if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "wrote %s\nRead it, then try it: terrarium policy explain -- LINE\n", printable.Text(file))
			return err
		},
	}
	cmd.Flags().BoolVar(&print, "print", false, "")
	return cmd
}
