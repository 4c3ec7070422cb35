package policy_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/policy"
)

// TestAppendTOML: what is written is read as the same rule, whatever its strings hold.
func TestAppendTOML(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		alphabet := []rune("ab \"\\'\n\t\r\x00\x1b\x7f#=[]{},é\u202e\u00a0\ufeff世\U0001f600\U000e0041")
		out := make([]rune, 1+r.IntN(6))
		for i := range out {
			out[i] = alphabet[r.IntN(len(alphabet))]
		}
		return string(out)
	}
	word := func() string { return strings.NewReplacer(" ", "_", "\t", "_", "\n", "_").Replace(text()) }
	list := func() []string {
		all := make([]string, r.IntN(3))
		for i := range all {
			all[i] = text()
		}
		return all[:len(all):len(all)]
	}
	for i := range 2000 {
		in := &policy.Rule{
			ID: fmt.Sprint("r", i, text()), Argv: [][]string{{"name", word()}, {word()}, {"**"}}[:1+r.IntN(3)],
			Decision: policy.Allow + policy.Decision(r.IntN(3)), Redirects: []string{"none", "read", "any"}[r.IntN(3)],
			AnyEnv: r.IntN(2) == 0, Flags: list(), Reason: text(), Inside: []string{"", "workspace"}[r.IntN(2)],
		}
		if r.IntN(2) == 0 {
			in.Bin = "/bin/" + text()
		}
		if !in.AnyEnv {
			in.Env = list()
		}
		if r.IntN(2) == 0 {
			in.Cwd = []string{"roots", "/" + text()}
			in.Session = []core.SessionID{core.SessionID(text())}
		}
		if in.Decision == policy.Allow && r.IntN(2) == 0 {
			in.Writes, in.Files = []string{"/tmp"}, []string{"roots", "/tmp"}
		}
		in.Unknown = in.Inside != "" && in.Decision == policy.Allow && r.IntN(2) == 0
		toml := in.AppendTOML(nil)
		f, err := policy.Parse("p", toml, policy.User)
		if err != nil {
			t.Fatalf("%v\n%s", err, toml)
		}
		if got := f.Rules[0].AppendTOML(nil); !bytes.Equal(got, toml) {
			t.Fatalf("got\n%s\nwant\n%s", got, toml)
		}
		if !reflect.DeepEqual(exported(f.Rules[0]), exported(in)) {
			t.Fatalf("got %+v, want %+v from\n%s", f.Rules[0], in, toml)
		}
	}
}

// exported is a rule by the names of its fields, without those that are empty.
func exported(r *policy.Rule) map[string]any {
	fields := map[string]any{}
	v := reflect.ValueOf(r).Elem()
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() && !(v.Field(i).Kind() == reflect.Slice && v.Field(i).Len() == 0) {
			fields[f.Name] = v.Field(i).Interface()
		}
	}
	return fields
}

// TestAppendTOMLExamples: the starter written rule by rule is the starter, its examples too.
func TestAppendTOMLExamples(t *testing.T) {
	var toml []byte
	in := mustParse(t, string(policy.Starter), policy.User)
	for _, r := range in.Rules {
		toml = append(r.AppendTOML(toml), '\n')
	}
	out := mustParse(t, string(toml), policy.User)
	for i, r := range in.Rules {
		if !reflect.DeepEqual(exported(r), exported(out.Rules[i])) {
			t.Errorf("got %+v, want %+v", out.Rules[i], r)
		}
	}
}
