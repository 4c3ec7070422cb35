package hostwasm_test

import (
	"errors"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm"
)

// own is a Plugin without bytes.
type own struct {
	name     string
	commands []string
	direct   *own
}

func (o own) Names() (string, []string) { return o.name, o.commands }
func (o own) Load() ([]byte, error)     { return nil, errors.New(o.name) }
func (o own) Direct() (own, bool) {
	if o.direct == nil {
		return own{}, false
	}
	return *o.direct, true
}

func TestCommands(t *testing.T) {
	commands := hostwasm.Commands([]own{
		{name: "box", commands: []string{"sh", "true", "git"}, direct: &own{name: "direct", commands: []string{"true"}}},
		{name: "git", commands: []string{"git"}},
	})
	if len(commands) != 3 || commands["sh"] != commands["true"] {
		t.Fatalf("got %v, want sh and true of one module, and git", commands)
	}
	for name, want := range map[string]string{"sh": "box", "git": "git"} {
		m := commands[name]
		if _, err := m.Load(); m.Name != want || err == nil || err.Error() != want {
			t.Errorf("%s: got module %s, which loads with %v, want %s", name, m.Name, err, want)
		}
	}
	direct := commands["sh"].Direct
	if len(direct) != 1 || direct["true"].Name != "direct" || commands["git"].Direct != nil {
		t.Errorf("got %v to stand for the box, and %v for git, want true and none", direct, commands["git"].Direct)
	}
}
