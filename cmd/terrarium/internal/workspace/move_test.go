package workspace

import (
	"io/fs"
	"os"
	"testing"
)

// A file that is made at the very moment when another one is moved there stays, where the file
// system has hard links.
func TestMoveTakesNoPlace(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	const ours, theirs = "ours", "theirs"
	write := func(name, text string, flags int) error {
		f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|flags, 0o600)
		if err != nil {
			return err
		}
		f.WriteString(text)
		return f.Close()
	}
	if err := write("a", ours, 0); err != nil {
		t.Fatal(err)
	}
	if err := root.Link("a", "b"); err != nil {
		t.Skip("NOT RUN: ", err)
	}
	in := &Incoming{root: root}
	for range 5000 {
		for _, name := range []string{"a", "b"} {
			if err := root.Remove(name); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
		if err := write("a", ours, os.O_EXCL); err != nil {
			t.Fatal(err)
		}
		start, made := make(chan struct{}), make(chan bool)
		go func() { // ends when it has tried
			<-start
			made <- write("b", theirs, os.O_EXCL) == nil
		}()
		close(start)
		moved, err := in.move("a", "b")
		want := ours
		isTheirs := <-made
		if isTheirs {
			want = theirs
		}
		if text, readErr := fs.ReadFile(root.FS(), "b"); string(text) != want || moved == isTheirs {
			t.Fatalf("got %q and %v where they made theirs: %t; moved: %t, %v", text, readErr, isTheirs, moved, err)
		}
	}
}
