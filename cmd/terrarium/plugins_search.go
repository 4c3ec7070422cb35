package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

const pluginsSearchHelp = `usage: terrarium plugins search [WORD] [flags]

Lists the plugins that "plugins add" knows by name, or those that have WORD in a
name or in their description. Nothing is asked of any server, but with a URL.

  --index FILE|URL  those of another index, in place of our own
  --json            one JSON object
`

func newPluginsSearch() *cobra.Command {
	var from indexFlag
	var asJSON bool
	cmd := &cobra.Command{
		Use:                   "search [WORD] [flags]",
		SuggestFor:            []string{"find", "available"},
		Short:                 "list plugins that can be had",
		Long:                  pluginsSearchHelp,
		DisableFlagsInUseLine: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return noArgs(cmd, args[1:])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			x, err := from.read(cmd.Context())
			if err != nil {
				return err
			}
			word := ""
			if len(args) == 1 {
				word = args[0]
			}
			found := struct {
				Plugins []offer `json:"plugins"`
			}{[]offer{}}
			have := usersPlugins()
			for _, e := range x.Search(word) {
				found.Plugins = append(found.Plugins, offered(e, have))
			}
			if from == "" {
				found.Plugins = append(found.Plugins, ownOffers(word)...)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), found)
			}
			if len(found.Plugins) == 0 {
				return noEntry(x, word)
			}
			t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, o := range found.Plugins {
				more := ""
				switch o.Added {
				case "":
				case o.Version:
					more = " (added)"
				default:
					more = " (added: " + o.Added + ")"
				}
				fmt.Fprintf(t, "%s\t%s\t%s\t%s%s\n", o.Name, o.Version, about(o.Size), o.Description, more)
			}
			return t.Flush()
		},
	}
	from.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "")
	return cmd
}
