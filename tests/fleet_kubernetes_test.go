package tests

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestFleetKubernetes has a worker join with the command line that a pod of the Deployment has: but
// for its credentials and the fleet's URL, which are a cluster's. No cluster has run it.
func TestFleetKubernetes(t *testing.T) {
	t.Parallel()
	watchModule(t)
	b := newFleetBox(t)
	p := b.start("", "fleet", "kubernetes", "--image", "toolbox:1", "--slots", "2", "tls://fleet.example:4222", "--", "--label", "in=pod")
	if status := b.status(p); status != 0 {
		t.Fatalf("got %d and %q", status, &p.errs)
	}
	var deployment struct {
		Spec struct {
			Template struct {
				Spec struct {
					Containers []struct{ Command, Args []string }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(p.out.String()), &deployment); err != nil {
		t.Fatal(err)
	}
	c := deployment.Spec.Template.Spec.Containers[0]
	here := map[string]string{"$(POD_NAME)": "pod-1", "/run/secrets/terrarium/worker.creds": b.worker, "tls://fleet.example:4222": b.url}
	for i, arg := range c.Args {
		if to, ok := here[arg]; ok {
			c.Args[i] = to
			delete(here, arg)
		}
	}
	if len(here) > 0 || len(c.Command) != 1 || c.Command[0] != "terrarium" {
		t.Fatalf("got %q %q, without %q", c.Command, c.Args, here)
	}
	worker := b.start("", c.Args...)
	b.until("it joins", func() bool {
		return strings.Contains(worker.errs.String(), "terrarium: worker pod-1: joined tenant default: 2 slots\n")
	})
	run := b.run("echo placed", "--label", "in=pod")
	if status := b.status(run); status != 0 || run.out.String() != "placed\n" {
		t.Errorf("got %d, %q and %q", status, &run.out, &run.errs)
	}

	wrong := b.start("", "fleet", "kubernetes", "--image", "toolbox:1", "--slots", "2", "--memory", "2m", "tls://fleet.example:4222")
	if status := b.status(wrong); status != 2 || wrong.out.String() != "" || !strings.HasPrefix(wrong.errs.String(), "terrarium: --memory 2m: want bytes") {
		t.Errorf("got %d, %q and %q, want a usage error", status, &wrong.out, &wrong.errs)
	}
}
