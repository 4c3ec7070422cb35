package place

import (
	"fmt"
	"strings"
)

// kubectl is Kubernetes' command, with the user's context and namespace.
//
// https://kubernetes.io/docs/reference/kubectl/generated/kubectl_exec/
var kubectl = scheme{
	name: "kubectl", form: "POD[/CONTAINER]",
	parse: func(p *Place) error {
		pod, container, found := strings.Cut(p.target, "/")
		switch {
		case pod == "" || found && container == "" || strings.Contains(container, "/"):
			return fmt.Errorf("want kubectl:%s", p.scheme.form)
		case strings.HasPrefix(container, "-"):
			return fmt.Errorf("kubectl would take %s for an option: want kubectl:%s", container, p.scheme.form)
		}
		p.argv = []string{"kubectl", "exec", "-i", pod}
		if found {
			p.argv = append(p.argv, "-c", container)
		}
		p.argv = append(p.argv, "--")
		p.target = pod
		return oneWord(p, pod+container)
	},
	hints: []hint{
		{"container not found", nil, `it has no such container, or that does not run: "kubectl describe pod %s" lists them`},
		{"is not valid for pod", nil, `it has no such container: "kubectl describe pod %s" lists them`},
		{"not found in pod", nil, `it has no such container: "kubectl describe pod %s" lists them`},
		{"executable file not found", ErrMissing, ""},
		{"(notfound)", nil, `there is no such pod in this namespace: "kubectl get pods" lists them`},
		{"(forbidden)", nil, `you may not execute anything in it: "kubectl auth can-i create pods/exec" tells`},
		{"you must be logged in", nil, "the cluster does not let you in: log in to it again"},
		{"was refused", nil, "the cluster does not answer: see kubectl cluster-info"},
		{"unable to connect to the server", nil, "the cluster does not answer: see kubectl cluster-info"},
	},
}
