package main

import (
	"strings"
	"testing"
)

func TestStamped(t *testing.T) {
	const module = "\x00asm\x01\x00\x00\x00"
	got := string(stamped([]byte(module), "box", "v1.2.3"))
	if want := module + "\x00\x1b\x10terrarium.pluginbox v1.2.3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPluginSteps(t *testing.T) {
	for _, test := range []struct {
		names []string
		want  string
	}{
		{nil, "pack time zones, build box.wasm, write direct.wasm, build git.wasm"},
		{[]string{"box"}, "pack time zones, build box.wasm, write direct.wasm"},
		{[]string{"git"}, "pack time zones, build git.wasm"},
	} {
		var got []string
		for _, s := range pluginSteps("dir", develVersion, test.names...) {
			got = append(got, s.name)
		}
		if got := strings.Join(got, ", "); got != test.want {
			t.Errorf("%q: got %s, want %s", test.names, got, test.want)
		}
	}
}

func TestMakePluginsUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, errUsage.Error()},
		{[]string{"-x", "dir"}, errUsage.Error()},
		{[]string{"dir", "box", "nosuch"}, "plugins nosuch: no such plugin"},
	} {
		if err := makePlugins(t.Context(), test.args, new(strings.Builder)); err == nil || err.Error() != test.want {
			t.Errorf("%q: got %v, want %s", test.args, err, test.want)
		}
	}
}
