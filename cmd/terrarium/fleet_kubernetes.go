package main

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/fleet"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/place"
)

const fleetKubernetesHelp = `usage: terrarium fleet kubernetes [flags] URL [-- FLAG...]

Prints a Deployment for "kubectl apply -f -". Its pods are workers of the fleet
at URL. Behind -- are flags of "fleet join": --sandbox, --label.

  --image IMAGE     has a terrarium in PATH, and what sessions need
  --slots N         sessions that a pod has at once
  --replicas N      pods; 1
  --name NAME       what the Deployment is called; terrarium-worker
  --namespace NAME  where it is; default: kubectl's
  --secret NAME     has a worker's credentials as worker.creds; default: called
                    as the Deployment
  --cpu N           of a pod, requested and its limit: 2, 500m; 1
  --memory N, --disk N   likewise: 512Mi, 2Gi; 2Gi and 4Gi

Before it, once, with a file that "fleet tenant add" has made:

  kubectl create secret generic terrarium-worker --from-file=worker.creds=FILE

Sessions of a pod share it: "-- --sandbox workspace" keeps them from its
credentials. A pod that is to end drains for as long as --drain-timeout says.
`

// kubernetesFlags are the flags of fleet kubernetes.
type kubernetesFlags struct {
	image, name, namespace, secret string
	slots, replicas                int
	cpu, memory, disk              quantity
}

func newFleetKubernetes() *cobra.Command {
	f := kubernetesFlags{name: "terrarium-worker", replicas: 1, cpu: quantity{text: "1", cpu: true}, memory: quantity{text: "2Gi"}, disk: quantity{text: "4Gi"}}
	cmd := &cobra.Command{
		Use:                   "kubernetes [flags] URL [-- FLAG...]",
		SuggestFor:            []string{"k8s", "kube"},
		Short:                 "print a Deployment of workers",
		Long:                  fleetKubernetesHelp,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			urls, join := args, []string(nil)
			if dash := cmd.ArgsLenAtDash(); dash >= 0 {
				urls, join = args[:dash], args[dash:]
			}
			url, err := fleetURL(urls, "tls://fleet.example:4222")
			if err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			d, err := f.deployment(url, join)
			if err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			return printJSON(cmd.OutOrStdout(), d) // which is YAML, too
		},
	}
	cmd.SetFlagErrorFunc(kubernetesFlagError)
	set := cmd.Flags()
	set.StringVar(&f.image, "image", "", "")
	set.IntVar(&f.slots, "slots", 0, "")
	set.IntVar(&f.replicas, "replicas", f.replicas, "")
	set.StringVar(&f.name, "name", f.name, "")
	set.StringVar(&f.namespace, "namespace", "", "")
	set.StringVar(&f.secret, "secret", "", "")
	set.Var(&f.cpu, "cpu", "")
	set.Var(&f.memory, "memory", "")
	set.Var(&f.disk, "disk", "")
	return cmd
}

// kubernetesFlagError says where a flag of the worker stands, and is flagError for others.
func kubernetesFlagError(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || newFleetJoin().Flags().Lookup(unknown.GetSpecifiedName()) == nil {
		return flagError(cmd, err)
	}
	return &usageError{cmd.UseLine(), fmt.Errorf("--%[1]s is a flag of fleet join: it stands behind the URL and --, as in URL -- --%[1]s", unknown.GetSpecifiedName())}
}

const (
	maxReplicas = 1000 // a tenant has 1,000 connections
	// What a pod is called is the Deployment's name and 17 bytes at most, "-0123456789-01234", and
	// is what the worker is called: see fleet.CheckName.
	maxDeployment = 63 - 17
	maxSecret     = 253
)

// A label and a subdomain of RFC 1123, as Kubernetes has them.
//
// https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
var (
	dnsLabel     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`) })
	dnsSubdomain = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	})
)

// check says what is wrong with the flags, and fills in what was left out.
func (f *kubernetesFlags) check() error {
	if f.image == "" {
		return errors.New("fleet kubernetes needs --image IMAGE")
	}
	if err := place.CheckImageName(f.image); err != nil {
		return err
	}
	f.secret = cmp.Or(f.secret, f.name)
	switch {
	case f.slots == 0:
		return errors.New("fleet kubernetes needs --slots N")
	case f.replicas < 1 || f.replicas > maxReplicas:
		return fmt.Errorf("--replicas %d: out of range: 1 to %d", f.replicas, maxReplicas)
	case len(f.name) > maxDeployment || !dnsLabel().MatchString(f.name):
		return fmt.Errorf("--name %.80q: want 1 to %d of a to z, 0 to 9 and -, and no - first or last", f.name, maxDeployment)
	case f.namespace != "" && (len(f.namespace) > 63 || !dnsLabel().MatchString(f.namespace)):
		return fmt.Errorf("--namespace %.80q: want 1 to 63 of a to z, 0 to 9 and -, and no - first or last", f.namespace)
	case len(f.secret) > maxSecret || !dnsSubdomain().MatchString(f.secret):
		return fmt.Errorf("--secret %.80q: want 1 to %d of a to z, 0 to 9, . and -, each part with a letter or digit first and last", f.secret, maxSecret)
	}
	return nil
}

// joinArgs returns the arguments of a pod's terrarium, and for how long it drains. more are the
// person's flags. The error is about those, or about the URL.
func (f *kubernetesFlags) joinArgs(url string, more []string) (args []string, drain time.Duration, err error) {
	a := fleet.Access{URL: url}
	switch local, err := a.Loopback(); {
	case err != nil:
		return nil, 0, err
	case local:
		return nil, 0, fmt.Errorf("%s: in a pod that is the pod itself: want where the server is in its network", url)
	}
	join := newFleetJoinFlags()
	cmd := &cobra.Command{Use: "join"}
	join.add(cmd)
	switch err := cmd.ParseFlags(more); {
	case errors.Is(err, pflag.ErrHelp):
		return nil, 0, errors.New("behind --: \"terrarium fleet join --help\" has these flags")
	case err != nil:
		return nil, 0, fmt.Errorf("behind --: %w", flagError(cmd, err))
	}
	if join.set.NArg() > 0 {
		return nil, 0, fmt.Errorf("behind --: %.80q: want flags of fleet join", join.set.Arg(0))
	}
	for _, name := range []string{"slots", "name", "creds"} {
		if join.set.Changed(name) {
			return nil, 0, fmt.Errorf("behind --: --%s: the Deployment has its own", name)
		}
	}
	switch {
	case slices.Contains(place.Engines(), join.engine):
		return nil, 0, fmt.Errorf("behind --: --engine %s: a pod has no engine, and is a container itself", join.engine)
	case join.ca != "" && !path.IsAbs(join.ca):
		return nil, 0, fmt.Errorf("behind --: --tls-ca %s: want a path that begins with /", join.ca)
	case !utf8.ValidString(url + strings.Join(more, "")):
		return nil, 0, errors.New("an argument is not UTF-8, as JSON and YAML are")
	}
	for _, e := range join.env {
		if strings.HasPrefix(e, "=") {
			return nil, 0, errors.New("behind --: --env NAME: want NAME=VALUE")
		}
	}
	ours := []string{"--slots", strconv.Itoa(f.slots), "--name", "$(" + podName + ")", "--creds", podCreds}
	if err := cmd.ParseFlags([]string{"--slots", strconv.Itoa(f.slots)}); err != nil {
		return nil, 0, err
	}
	join.elsewhere = true
	if err := cmp.Or(join.checkJoin(), join.checkThere("fleet kubernetes")); err != nil {
		return nil, 0, err
	}
	args = append([]string{"fleet", "join"}, ours...)
	for _, arg := range append(slices.Clone(more), url) {
		args = append(args, strings.ReplaceAll(arg, "$", "$$")) // or the kubelet might expand it
	}
	return args, join.drain, nil
}
