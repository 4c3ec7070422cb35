package place

// command is any program that starts another one with the standard streams that it has itself, as
// runc exec does. COMMAND is its name and its arguments, as a shell has them; the far command
// follows.
var command = scheme{
	name: "exec", form: "COMMAND",
	parse: func(p *Place) error {
		p.argv = []string{"sh", "-c", "exec " + p.target + ` "$@"`, "sh"}
		return nil
	},
	hints: []hint{
		{"executable file not found", ErrMissing, ""},
	},
}
