package place

// podman is Podman's command.
//
// https://docs.podman.io/en/latest/markdown/podman-exec.1.html
var podman = scheme{
	name: "podman", form: "NAME",
	parse: func(p *Place) error {
		p.argv = []string{"podman", "exec", "-i", p.target}
		return oneWord(p, p.target)
	},
	hints: []hint{
		{"no such container", nil, `there is no such container: "podman ps" lists them`},
		{"no container with name or id", nil, `there is no such container: "podman ps" lists them`},
		{"can only create exec sessions on running containers", nil, `it does not run: "podman start %s" starts it`},
		{"is not running", nil, `it does not run: "podman start %s" starts it`},
		{"cannot connect to podman", nil, "there is no service: see podman system connection"},
		{"executable file", ErrMissing, ""}, // `terrarium` not found
		{"command that was not found", ErrMissing, ""},
	},
}
