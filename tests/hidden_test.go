package tests

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestHidden: what later commands are made of, and what other sessions have in
// /tmp, no command reaches, with the built command and all of it handed over.
func TestHidden(t *testing.T) {
	if raceDetector() {
		t.Skip("takes minutes to compile the box with the race detector, which sees nothing inside the sandbox")
	}
	needBox(t)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(cache, 0o700); err != nil { // as the command would
		t.Fatal(err)
	}
	data, tmp := t.TempDir(), t.TempDir()
	terrarium := func(args ...string) (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, "terrarium", append([]string{"run", "--host", "wasm"}, args...)...)
		cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+data, "TMPDIR="+tmp)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	// Each line says what it could do; the names are those that the sandbox has.
	const script = `
for d; do
	echo "$d"
	ls -A "$d"/ 2>&- && echo list; cd "$d" 2>&- && echo cd; stat "$d" >&- 2>&- && echo stat
	( echo x >"$d/new" ) 2>&- && echo create; mkdir "$d/dir" 2>&- && echo mkdir; ln -s x "$d/link" 2>&- && echo symlink
	mv "$d" "$d.moved" 2>&- && echo move; mv "${d%/*}" "${d%/*}.moved" 2>&- && echo move above; rmdir "$d" 2>&- && echo rmdir
	chmod 777 "$d" 2>&- && echo chmod; touch "$d" 2>&- && echo touch; cat "$d/key" 2>&- && echo key
	ln -s "$d" /w/way && { ls /w/way/ 2>&- && echo list by a link; rm /w/way; }
done
ls /d/terrarium /t
echo done`
	scratch := fmt.Sprint("terrarium-", os.Geteuid())
	own := []string{"/c/terrarium/modules", "/d/terrarium/plugins", "/t/" + scratch}
	work := t.TempDir()
	for name, flags := range map[string][]string{"worker": nil, "in-process": {"--in-process"}} {
		t.Run(name, func(t *testing.T) {
			own := own
			if name == "in-process" {
				own = own[:2] // where /tmp is in memory
			}
			args := append(flags, "--mount", cache+":/c", "--mount", data+":/d", "--mount", tmp+":/t", "--mount", work+":/w", "--", "bash", "-c", script, "bash")
			want := strings.Join(own, "\n") + "\n/d/terrarium:\n\n/t:\ndone\n"
			if got, err := terrarium(append(args, own...)...); got != want || err != nil {
				t.Errorf("got\n%s%v, want\n%s", got, err, want)
			}
		})
	}
	for _, dir := range []string{
		filepath.Join(cache, "terrarium", "modules"), filepath.Join(data, "terrarium", "plugins"),
		filepath.Join(tmp, scratch), // which is there while a command runs
	} {
		got, err := terrarium("--mount", dir, "--", "true", "x")
		if err == nil || strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, ": terrarium's own and not for guests\n") {
			t.Errorf("--mount %s: got %q, %v, want a refusal", dir, got, err)
		}
	}
}
