package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

var update = flag.Bool("update", false, "write testdata")

// kubernetes runs the command, and returns what it prints.
func kubernetes(args ...string) (string, error) {
	cmd := newFleetKubernetes()
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetArgs(args)
	err := cmd.Execute()
	return out.String(), err
}

// kubernetesArgs has all flags, and values that the kubelet or a reader of YAML could take for
// something else.
var kubernetesArgs = []string{
	"--image", "registry.example/team/toolbox@sha256:5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef",
	"--slots", "8", "--replicas", "3", "--name", "tools", "--namespace", "agents", "--secret", "fleet.creds",
	"--cpu", "500m", "--memory", "1.5Gi", "--disk", "10G", "tls://one.example:4222,tls://two.example:4222",
	"--", "--sandbox", "workspace", "--label", "gpu=a100", "--drain-timeout", "90m0.5s",
	"--env", "PRICE=$5 $(POD_NAME) $$", "--env", "YES=no: {\"<>\u202e", "--cwd=/tmp", "--tls-ca", "/run/secrets/terrarium/ca.pem",
}

// TestKubernetes compares what is printed with a file, and looks at what must never get lost there.
func TestKubernetes(t *testing.T) {
	const file = "testdata/fleet-kubernetes.json"
	got, err := kubernetes(kubernetesArgs...)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got %s", file, got)
	}
	d := decoded(t, got)
	const pod, container = "spec.template.spec.", "spec.template.spec.containers.0."
	for path, want := range map[string]any{
		"apiVersion":                                           "apps/v1",
		"kind":                                                 "Deployment",
		"metadata.name":                                        "tools",
		"metadata.namespace":                                   "agents",
		"spec.replicas":                                        3.0,
		"spec.strategy.type":                                   "RollingUpdate",
		pod + "automountServiceAccountToken":                   false,
		pod + "enableServiceLinks":                             false,
		pod + "securityContext.runAsNonRoot":                   true,
		pod + "securityContext.runAsUser":                      65532.0,
		pod + "securityContext.fsGroup":                        65532.0,
		pod + "securityContext.seccompProfile":                 map[string]any{"type": "RuntimeDefault"},
		pod + "terminationGracePeriodSeconds":                  90*60 + 1 + 30.0,
		container + "securityContext.allowPrivilegeEscalation": false,
		container + "securityContext.readOnlyRootFilesystem":   true,
		container + "securityContext.capabilities":             map[string]any{"drop": []any{"ALL"}},
		container + "resources.requests":                       map[string]any{"cpu": "500m", "memory": "1.5Gi", "ephemeral-storage": "10G"},
		container + "resources.limits":                         map[string]any{"cpu": "500m", "memory": "1.5Gi", "ephemeral-storage": "10G"},
		container + "env.0.valueFrom.fieldRef.fieldPath":       "metadata.name",
		container + "livenessProbe":                            nil,
		container + "readinessProbe":                           nil,
		container + "volumeMounts.3":                           map[string]any{"name": "secret", "mountPath": "/run/secrets/terrarium", "readOnly": true},
		pod + "volumes.3":                                      map[string]any{"name": "secret", "secret": map[string]any{"secretName": "fleet.creds", "defaultMode": 0o400 + 0.0}},
	} {
		if got := at(d, path); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
	for _, path := range []string{"spec.selector.matchLabels", "metadata.labels"} {
		if got, want := at(d, path), at(d, "spec.template.metadata.labels"); got == nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want the pods' labels %v", path, got, want)
		}
	}
}

// TestKubernetesJoin has fleet join take the command line that a pod has.
func TestKubernetesJoin(t *testing.T) {
	printed, err := kubernetes(kubernetesArgs...)
	if err != nil {
		t.Fatal(err)
	}
	d := decoded(t, printed)
	const container = "spec.template.spec.containers.0."
	if got := at(d, container+"command"); !reflect.DeepEqual(got, []any{"terrarium"}) {
		t.Errorf("got program %v", got)
	}
	var args []string
	for _, arg := range at(d, container+"args").([]any) {
		args = append(args, expanded(arg.(string), map[string]string{"POD_NAME": "tools-5d4f8c7b9f-x2x7k"}))
	}
	if len(args) < 2 || args[0] != "fleet" || args[1] != "join" {
		t.Fatalf("got %q, want fleet join", args)
	}
	f := newFleetJoinFlags()
	cmd := &cobra.Command{}
	f.add(cmd)
	if err := cmd.ParseFlags(args[2:]); err != nil {
		t.Fatal(err)
	}
	if err := f.checkJoin(); err != nil {
		t.Error(err)
	}
	if got := f.set.Args(); len(got) != 1 {
		t.Fatalf("got the arguments %q, want a URL", got)
	}
	a := f.access(f.set.Arg(0))
	if err := a.Check(); err != nil {
		t.Error(err)
	}
	got := []any{a.URL, a.Creds, a.CA, f.name, f.slots, f.drain, f.cwd, f.confine.level, f.env, f.offered.String()}
	want := []any{
		"tls://one.example:4222,tls://two.example:4222", "/run/secrets/terrarium/worker.creds", "/run/secrets/terrarium/ca.pem",
		"tools-5d4f8c7b9f-x2x7k", 8, 90*time.Minute + 500*time.Millisecond, "/tmp", "workspace",
		[]string{"PRICE=$5 $(POD_NAME) $$", "YES=no: {\"<>\u202e"}, "gpu=a100",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestKubernetesRefuses has one line for each value that is wrong.
func TestKubernetesRefuses(t *testing.T) {
	const url = "tls://fleet.example:4222"
	long := strings.Repeat("a", 300)
	for _, test := range []struct {
		want string
		args []string
	}{
		{"want the URL of a fleet, such as ", nil},
		{"want the URL of a fleet, such as ", []string{url, url}},
		{"want the URL of a fleet, such as ", []string{"--", url}},
		{"unexpected argument: extra", []string{url, "extra"}},
		{"--sandbox is a flag of fleet join: it stands behind the URL and --, as in URL -- --sandbox", []string{"--sandbox=workspace", url}},
		{"--label is a flag of fleet join: ", []string{url, "--label", "gpu=a100"}},
		{"unknown flag: --replica: did you mean --replicas?", []string{"--replica=2", url}},
		{"unknown flag: -x", []string{"-x", url}},
		{"fleet kubernetes needs --image IMAGE", []string{"--image=", url}},
		{"--image: no image is called so", []string{"--image=a\nb", url}},
		{"--image: no image is called so", []string{"--image=a b", url}},
		{"--image: no image is called so", []string{"--image=a\u2028b", url}},
		{"fleet kubernetes needs --slots N", []string{"--slots=0", url}},
		{"--slots -1: out of range", []string{"--slots=-1", url}},
		{"--slots many: want a number", []string{"--slots=many", url}},
		{"--replicas 0: out of range: 1 to 1000", []string{"--replicas=0", url}},
		{"--replicas 1001: out of range", []string{"--replicas=1001", url}},
		{`--name "": want 1 to 46 of `, []string{"--name=", url}},
		{`--name "Tools": want `, []string{"--name=Tools", url}},
		{`--name "a.b": want `, []string{"--name=a.b", url}},
		{`--name "a-": want `, []string{"--name=a-", url}},
		{`--name "a\nkind: Pod": want `, []string{"--name=a\nkind: Pod", url}},
		{`--name "a\n": want `, []string{"--name=a\n", url}},
		{`--name "aaaaa`, []string{"--name=" + long[:47], url}},
		{`--namespace "a b": want `, []string{"--namespace=a b", url}},
		{`--namespace "aaaaa`, []string{"--namespace=" + long[:64], url}},
		{`--secret "a/b": want `, []string{"--secret=a/b", url}},
		{`--secret "a..b": want `, []string{"--secret=a..b", url}},
		{`--secret "aaaaa`, []string{"--secret=" + long[:254], url}},
		{"--cpu 2Gi: want processors, as in ", []string{"--cpu=2Gi", url}},
		{"--cpu -1: want processors, as in ", []string{"--cpu=-1", url}},
		{"--cpu 0.0: want more than nothing", []string{"--cpu=0.0", url}},
		{"--cpu 0m: want more than nothing", []string{"--cpu=0m", url}},
		{"--memory 512m: want bytes, as in 512Mi or 2Gi", []string{"--memory=512m", url}},
		{"--memory 2GiB: want bytes, as in ", []string{"--memory=2GiB", url}},
		{"--memory 0Gi: want more than nothing", []string{"--memory=0Gi", url}},
		{"--memory 8: want bytes, as in 512Mi or 2Gi", []string{"--memory=8", url}},
		{"--memory 700k: want bytes, as in 512Mi or 2Gi", []string{"--memory=700k", url}},
		{"--disk 1e99: want bytes, as in ", []string{"--disk=1e99", url}},
		{"want nats://HOST:PORT or tls://HOST:PORT", []string{"https://fleet.example"}},
		{"others can read a password that is in a command line", []string{"tls://me:secret@fleet.example:4222"}},
		{"nats://localhost:4222: in a pod that is the pod itself", []string{"nats://localhost:4222"}},
		{"behind --: unknown flag: --lable: did you mean --label?", []string{url, "--", "--lable", "a=b"}},
		{`behind --: "true": want flags of fleet join`, []string{url, "--", "--env-inherit", "true"}},
		{"behind --: --slots: the Deployment has its own", []string{url, "--", "--slots=2"}},
		{"behind --: --name: the Deployment has its own", []string{url, "--", "--name=x"}},
		{"behind --: --creds: the Deployment has its own", []string{url, "--", "--creds=/x"}},
		{"behind --: --engine docker: a pod has no engine", []string{url, "--", "--engine=docker", "--image=x"}},
		{"behind --: --env NAME: want NAME=VALUE", []string{url, "--", "--env==x"}},
		{"an argument is not UTF-8", []string{url, "--", "--env=A=\xff"}},
		{"--policy: a worker has no rules yet", []string{url, "--", "--policy=x"}},
		{"--label: ", []string{url, "--", "--label=x"}},
		{"--drain-timeout -1s: negative", []string{url, "--", "--drain-timeout=-1s"}},
		{"--drain-timeout 2562047h47m16s: want at most 168h0m0s", []string{url, "--", "--drain-timeout=2562047h47m16s"}},
		{`behind --: "terrarium fleet join --help" has these flags`, []string{url, "--", "--help"}},
		{"--cwd work: with fleet kubernetes it is a path over there", []string{url, "--", "--cwd=work"}},
		{"behind --: --tls-ca ca.pem: want a path that begins with /", []string{url, "--", "--tls-ca=ca.pem"}},
	} {
		args := append([]string{"--image=toolbox:1", "--slots=1"}, test.args...)
		out, err := kubernetes(args...)
		if _, ok := errors.AsType[*usageError](err); !ok || !strings.HasPrefix(err.Error(), test.want) || strings.Contains(err.Error(), "secret@") {
			t.Errorf("%q: got %v, want %s", test.args, err, test.want)
		}
		if out != "" {
			t.Errorf("%q: printed %s", test.args, out)
		}
	}
	for _, args := range [][]string{{"--cpu=2"}, {"--cpu=0.25"}, {"--memory=1073741824"}, {"--memory=700M"}, {"--disk=2Ti"}, {"--name=" + long[:46]}} {
		if _, err := kubernetes(append(args, "--image=toolbox:1", "--slots=1", url)...); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// expanded does with an argument what the kubelet does.
//
// https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#entrypoint
func expanded(arg string, env map[string]string) string {
	var b strings.Builder
	for arg != "" {
		name, rest, closed := strings.Cut(strings.TrimPrefix(arg, "$("), ")")
		value, known := env[name]
		switch {
		case strings.HasPrefix(arg, "$$"):
			b.WriteByte('$')
			arg = arg[2:]
		case strings.HasPrefix(arg, "$(") && closed && known:
			b.WriteString(value)
			arg = rest
		default:
			b.WriteByte(arg[0])
			arg = arg[1:]
		}
	}
	return b.String()
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// at returns what is at a path of names and numbers, or nil.
func at(v any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		switch of := v.(type) {
		case map[string]any:
			v = of[step]
		case []any:
			i := int(step[0] - '0')
			if i >= len(of) {
				return nil
			}
			v = of[i]
		default:
			return nil
		}
	}
	return v
}
