package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError says what is wrong with a flag, and what was probably meant.
func flagError(cmd *cobra.Command, err error) error {
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		err = invalidValue(e)
	}
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		err = unknownFlag(cmd.Flags(), e)
		switch more := cmd.Flags().Args(); {
		case len(more) > 0 && strings.Contains(cmd.UseLine(), " -- "):
			err = fmt.Errorf("%w: put -- before the command", err)
		case len(more) > 0 && cmd.HasSubCommands(): // whose flag it may be
			return unknownCommand(cmd, more[0])
		}
	}
	return &usageError{cmd.UseLine(), err}
}

func invalidValue(e *pflag.InvalidValueError) error {
	cause, name := e.Unwrap(), e.GetFlag().Name
	switch e.GetFlag().Value.Type() {
	case "bool":
		return fmt.Errorf("--%s=%s: want true or false, or --%s alone", name, e.GetValue(), name)
	case "int":
		cause = errors.New("want a number")
	}
	return fmt.Errorf("--%s %s: %w", name, e.GetValue(), cause)
}

func unknownFlag(set *pflag.FlagSet, e *pflag.NotExistError) error {
	// "-json" is a group of one-letter flags, of which we have none but -h.
	name := e.GetSpecifiedShortnames()
	err := error(e)
	if name == "" {
		name = e.GetSpecifiedName()
	} else {
		err = fmt.Errorf("unknown flag: -%s", name)
	}
	// What docker and ssh call so.
	if (name == "t" || name == "it") && set.Lookup("pty") != nil {
		return didYouMean(err, []string{"--pty"})
	}
	if len(name) < 2 { // one letter is near to everything that is short
		return err
	}
	var near []string
	set.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && isNear(name, f.Name) {
			near = append(near, "--"+f.Name)
		}
	})
	return didYouMean(err, near)
}

// unknownCommand says that parent has no command called name, and which of its
// commands was probably meant.
func unknownCommand(parent *cobra.Command, name string) error {
	shown := strings.TrimPrefix(parent.CommandPath()+" "+name, parent.Root().Name()+" ")
	return &usageError{parent.UseLine(), didYouMean(errors.New("no such command: "+shown), nearCommands(parent, name))}
}

// nearCommands returns the commands of parent that somebody may mean who says name.
func nearCommands(parent *cobra.Command, name string) (near []string) {
	for _, c := range parent.Commands() {
		if isNear(name, c.Name()) || c.HasAlias(name) || suggests(c, name) {
			near = append(near, c.Name())
		}
	}
	return near
}

// unknownTopic says that there is no help about name, and about what there is that was probably
// meant.
func unknownTopic(help, root *cobra.Command, name string) error {
	near := nearCommands(root, name)
	for _, topic := range slices.Sorted(maps.Keys(topics)) {
		if isNear(name, topic) {
			near = append(near, topic)
		}
	}
	return &usageError{help.UseLine(), didYouMean(errors.New("no such command or topic: "+name), near)}
}

// suggests reports whether a command of others is called name and does what c does.
func suggests(c *cobra.Command, name string) bool {
	for _, s := range c.SuggestFor {
		if s == name {
			return true
		}
	}
	return false
}

func didYouMean(err error, near []string) error {
	if len(near) == 0 {
		return err
	}
	return fmt.Errorf("%w: did you mean %s?", err, strings.Join(near, " or "))
}

// isNear reports whether one may be a slip for the other: two letters wrong,
// missing, too many or exchanged, in a short name one; or its beginning.
func isNear(typed, name string) bool {
	if len(typed) > 2*maxName || len(name) > maxName {
		return false
	}
	typed = strings.ToLower(typed)
	slips := min(2, len(name)/3)
	return typed != "" && strings.HasPrefix(name, typed) || distance(typed, name) <= slips
}

// maxName is longer than any name of ours, in bytes: distance takes their product.
const maxName = 64

// distance is the number of bytes to replace, leave out, insert, or exchange with
// the next, to get from a to b (optimal string alignment).
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			wrong := 0
			if a[i-1] != b[j-1] {
				wrong = 1
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+wrong)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
