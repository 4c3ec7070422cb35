package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/rulebook"
	"github.com/terrarium-dev/terrarium/core/policy"
)

const policyCheckHelp = `usage: terrarium policy check [flags] [FILE...]

Says which policy files hold for a session here, or reads FILE, with the number
of their rules. Of a file with an error it names the line, the rule and the
example; nothing that the file would be asked about starts then. It exits with 1
if a file is wrong, or if commands or other users may write the user's or the
machine's. Of another FILE it only says so: a draft may lie anywhere.

  --root DIR     what the session hands over, in place of the current directory;
                 repeatable
  --policy FILE  the same as FILE
`

const policyTestHelp = `usage: terrarium policy test [flags] [FILE...]

Tries the examples of the rules: the lines of match must fall under their rule,
and those of not_match must not. It prints how many there are, and the rules
that have none. It exits with 1 if one is wrong, as a file is refused for that.

  --root DIR     what the session hands over, in place of the current directory;
                 repeatable
  --policy FILE  the same as FILE
`

func newPolicyCheck() *cobra.Command {
	return newPolicyFiles("check", "say which policy files hold, and what is wrong", policyCheckHelp, func(w io.Writer, f *policyFile) {
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.layer, printable.Text(f.name), f.rules())
	})
}

func newPolicyTest() *cobra.Command {
	return newPolicyFiles("test", "try the examples of the rules", policyTestHelp, func(w io.Writer, f *policyFile) {
		if f.file == nil {
			return
		}
		examples := 0
		for _, r := range f.file.Rules {
			examples += len(r.Match) + len(r.NotMatch)
		}
		fmt.Fprintf(w, "%s\t%s\t%s, %s\n", f.layer, printable.Text(f.name), f.rules(), counted(examples, "example"))
		for _, r := range f.file.Rules {
			if len(r.Match)+len(r.NotMatch) == 0 {
				fmt.Fprintf(w, "\t  rule %s\thas no example\n", printable.Text(r.ID))
			}
		}
	})
}

// newPolicyFiles makes a command that prints something of each file.
func newPolicyFiles(name, short, help string, print func(io.Writer, *policyFile)) *cobra.Command {
	var roots []string
	var asElsewhere string // --policy, as other commands have it
	cmd := &cobra.Command{
		Use:                   name + " [flags] [FILE...]",
		Short:                 short,
		Long:                  help,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			roots, err := policyRoots(roots, "")
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("policy") {
				args = append(args, asElsewhere)
			}
			files, err := policyFiles(args, roots)
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			wrong := false
			for _, f := range files {
				err := f.read(len(args) > 0)
				if err == nil {
					err = f.exposed(roots)
					wrong = wrong || err != nil && !f.draft
				} else {
					wrong = true
				}
				if err != nil {
					warn(cmd.ErrOrStderr(), err)
				}
				if f.ok {
					print(w, f)
				} else {
					fmt.Fprintf(w, "%s\t%s\twrong\n", f.layer, printable.Text(f.name))
				}
			}
			if err := w.Flush(); err != nil {
				return err
			}
			if wrong {
				return exitStatus(statusFailed)
			}
			return nil
		},
	}
	cmd.Flags().Var((*repeated)(&roots), "root", "")
	cmd.MarkFlagDirname("root")
	cmd.Flags().StringVar(&asElsewhere, "policy", "", "")
	cmd.MarkFlagFilename("policy", "toml")
	return cmd
}

// policyRoots makes what --root says absolute. Without, it is the directory cwd, or the current
// one.
func policyRoots(roots []string, cwd string) ([]string, error) {
	if len(roots) == 0 {
		roots = []string{cwd}
	}
	var all []string
	for _, root := range roots {
		abs, err := filepath.Abs(root)
		if err != nil {
			return nil, err
		}
		if info, err := os.Stat(abs); err != nil {
			return nil, fmt.Errorf("--root: %w", err)
		} else if !info.IsDir() {
			return nil, fmt.Errorf("--root %s: not a directory", root)
		}
		all = append(all, abs)
	}
	return all, nil
}

// A policyFile is one that holds, or would if it were there.
type policyFile struct {
	layer policy.Layer
	name  string
	file  *policy.File // nil if it is not there
	ok    bool         // it is not wrong in itself
	draft bool         // it does not hold where it is
}

// policyFiles are those that were named, or those that hold.
func policyFiles(names, roots []string) ([]*policyFile, error) {
	var files []*policyFile
	for _, name := range names {
		abs, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		f := &policyFile{layer: policy.User, name: abs}
		user, err := rulebook.UserFile()
		switch {
		case abs == rulebook.Managed:
			f.layer = policy.Managed
		case rulebook.IsProject(abs):
			f.layer = policy.Project
		default:
			f.draft = err != nil || abs != user
		}
		files = append(files, f)
	}
	if len(files) > 0 {
		return files, nil
	}
	files = append(files, &policyFile{layer: policy.Managed, name: rulebook.Managed})
	user, err := rulebook.UserFile()
	if err != nil {
		return nil, err
	}
	files = append(files, &policyFile{layer: policy.User, name: user})
	for _, root := range roots {
		files = append(files, &policyFile{layer: policy.Project, name: filepath.Join(root, rulebook.ProjectFile)})
	}
	return files, nil
}

// read reads the file, which has to be there if it must.
func (f *policyFile) read(must bool) (err error) {
	f.file, err = rulebook.Read(f.name, f.layer)
	switch {
	case err != nil:
		return err
	case f.file == nil && must:
		return fmt.Errorf("%s: no such file", f.name)
	}
	f.ok = true
	return nil
}

// exposed says who else may write the file, which has been read.
func (f *policyFile) exposed(roots []string) error {
	if f.file == nil || f.layer == policy.Project {
		return nil
	}
	err := rulebook.Exposed(f.name, f.layer, roots)
	if err != nil && f.draft {
		return fmt.Errorf("%w: it should lie elsewhere once it holds", err)
	}
	return err
}

func (f *policyFile) rules() string {
	if f.file == nil {
		return "not there"
	}
	return counted(len(f.file.Rules), "rule")
}

// counted is "1 rule", "2 rules".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
