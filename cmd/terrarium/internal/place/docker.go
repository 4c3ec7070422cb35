package place

// docker is Docker's command, which finds its daemon as the user has set it: DOCKER_HOST, contexts.
// What runs has to be in the container already.
//
// https://docs.docker.com/reference/cli/docker/container/exec/
var docker = scheme{
	name: "docker", form: "NAME",
	parse: func(p *Place) error {
		p.argv = []string{"docker", "exec", "-i", p.target}
		return oneWord(p, p.target)
	},
	hints: []hint{
		{"no such container", nil, `there is no such container: "docker ps" lists them`},
		{"is not running", nil, `it does not run: "docker start %s" starts it`},
		{"is paused", nil, `it is paused: "docker unpause %s" has it go on`},
		{"permission denied while trying to connect", nil, "the daemon does not let you in: see the group docker, or DOCKER_HOST"},
		{"cannot connect to the docker daemon", nil, "there is no daemon: is it up? see DOCKER_HOST"},
		{"executable file not found", ErrMissing, ""},
	},
}
