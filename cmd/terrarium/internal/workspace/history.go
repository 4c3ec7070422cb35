package workspace

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Import takes a bundle, whose HEAD is head, into the store.
func (f *Far) Import(ctx context.Context, r io.Reader, head string) error {
	if !isID(head) {
		return errors.New("that is no commit")
	}
	if _, err := exec.LookPath("git"); err != nil {
		return ErrNoGit
	}
	file, err := os.CreateTemp(f.dir, "bundle-")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	n, err := io.Copy(file, io.LimitReader(r, MaxBytes+1))
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if n > MaxBytes {
		return fmt.Errorf("a history of more than %d GiB", MaxBytes>>30)
	}
	if _, err := os.Stat(f.store()); err != nil {
		// --template=: no hooks, not even those of this machine.
		if err := f.git().run(ctx, nil, io.Discard, "init", "--quiet", "--bare", "--template=", "--object-format="+formatOf(head), f.store()); err != nil {
			return err
		}
	}
	taking := f.git()
	taking.patience = importPatience
	if err := taking.run(ctx, nil, io.Discard, "bundle", "unbundle", file.Name()); err != nil {
		return err
	}
	if err := f.git().run(ctx, nil, io.Discard, "cat-file", "-e", head+"^{commit}"); err != nil {
		return fmt.Errorf("the history that came does not have its newest commit: %w", err)
	}
	return f.git().run(ctx, nil, io.Discard, "update-ref", headRef, head)
}

// importPatience is how long git may take to unpack a history, in a repository of ours. Not each
// version of it can show how far it is.
const importPatience = time.Hour

// formatOf returns how git calls the hash of an id.
func formatOf(id string) string {
	if len(id) == 64 {
		return "sha256"
	}
	return "sha1"
}

// blob opens an object of the store. One process of git gives all of them, in turn.
func (f *Far) blob(ctx context.Context, id string) (io.ReadCloser, error) {
	if !isID(id) {
		return nil, errors.New("that is no object of git's")
	}
	if f.cat == nil {
		var err error
		if f.cat, err = startCat(ctx, f.git()); err != nil {
			return nil, err
		}
	}
	return f.cat.open(id)
}

// A cat is "git cat-file --batch".
//
// https://git-scm.com/docs/git-cat-file#_batch_output
type cat struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startCat(ctx context.Context, g *gitRunner) (*cat, error) {
	c := &cat{cmd: g.command(ctx, "cat-file", "--batch")}
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.in, c.out = in, bufio.NewReaderSize(out, 64<<10)
	return c, gitError(c.cmd.Start(), "cat-file", "")
}

func (c *cat) open(id string) (io.ReadCloser, error) {
	if _, err := fmt.Fprintln(c.in, id); err != nil {
		return nil, err
	}
	line, err := c.out.ReadSlice('\n') // of the buffer's length at most
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	fields := strings.Fields(string(line)) // id SP type SP size
	if len(fields) != 3 || fields[1] != "blob" {
		return nil, errors.New("it is in no repository over there")
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil || size < 0 {
		return nil, errors.New("git cat-file says what can't be")
	}
	return &catObject{io.LimitedReader{R: c.out, N: size}, c.out}, nil
}

func (c *cat) close() {
	c.in.Close()
	io.Copy(io.Discard, c.out)
	c.cmd.Wait()
}

// A catObject is an object that is read. Close passes over the rest, and the line feed behind it.
type catObject struct {
	io.LimitedReader
	out *bufio.Reader
}

func (o *catObject) Close() error {
	if _, err := io.Copy(io.Discard, &o.LimitedReader); err != nil {
		return err
	}
	_, err := o.out.ReadByte()
	return err
}

// Checkout has the repository in the tree be at the commit that has come, on a branch of that name.
// Where commands have made commits there, or another branch, it is left as it is, and left is true.
// Commands may have changed all of it, so git does not run in it, and it is written through an
// os.Root only.
func (f *Far) Checkout(ctx context.Context, branch string) (left bool, err error) {
	head, old := f.ref(ctx, headRef), f.ref(ctx, treeRef)
	if head == "" {
		return false, nil
	}
	if branch == "" || f.git().run(ctx, nil, io.Discard, "check-ref-format", "refs/heads/"+branch) != nil {
		branch = "main"
	}
	info, err := f.root.Lstat(".git")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = ""
		if err := f.initTree(head); err != nil {
			return false, err
		}
	case err != nil:
		return false, err
	case !info.IsDir(), old == "", f.readHead() != old:
		return true, nil
	}
	current := "ref: refs/heads/" + branch + "\n"
	if head == old && f.readGit("HEAD") == current {
		return false, nil
	}
	tmp, err := os.MkdirTemp(f.dir, "git-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(tmp)
	revs := head + "\n"
	if old != "" {
		revs += "^" + old + "\n"
	}
	if err := f.git().run(ctx, strings.NewReader(revs), io.Discard, "pack-objects", "--progress", "--revs", filepath.Join(tmp, "pack")); err != nil {
		return false, err
	}
	index := filepath.Join(tmp, "index")
	if err := f.git("GIT_INDEX_FILE="+index).run(ctx, nil, io.Discard, "read-tree", head); err != nil {
		return false, err
	}
	packs, err := filepath.Glob(filepath.Join(tmp, "pack-*"))
	if err != nil {
		return false, err
	}
	for _, name := range packs {
		if err := f.copyGit(path.Join("objects/pack", filepath.Base(name)), name); err != nil {
			return false, err
		}
	}
	if err := errors.Join(
		f.copyGit("index", index),
		f.writeGit("refs/heads/"+branch, strings.NewReader(head+"\n")),
		f.writeGit("HEAD", strings.NewReader(current)),
	); err != nil {
		return false, err
	}
	return false, f.git().run(ctx, nil, io.Discard, "update-ref", treeRef, head)
}

// initTree makes an empty repository in the tree, as git init does without a template.
//
// https://git-scm.com/docs/gitrepository-layout
func (f *Far) initTree(head string) error {
	for _, dir := range []string{".git/objects/pack", ".git/objects/info", ".git/refs/heads", ".git/refs/tags"} {
		if err := f.root.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	config := "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
	if formatOf(head) == "sha256" {
		config = "[core]\n\trepositoryformatversion = 1\n\tfilemode = true\n\tbare = false\n[extensions]\n\tobjectFormat = sha256\n"
	}
	return f.writeGit("config", strings.NewReader(config))
}

// readHead returns the commit that the repository in the tree is at, or "" if it is not said in the
// simplest way.
func (f *Far) readHead() string {
	head := strings.TrimSpace(f.readGit("HEAD"))
	if ref, ok := strings.CutPrefix(head, "ref: "); ok {
		head = strings.TrimSpace(f.readGit(ref))
	}
	if !isID(head) {
		return ""
	}
	return head
}

// branch returns what the repository in the tree says of the branch that it is at.
func (f *Far) branch() string {
	head := strings.TrimSpace(f.readGit("HEAD"))
	return strings.TrimPrefix(head, "ref: refs/heads/")
}

// readGit returns a short file of the repository in the tree, or "".
func (f *Far) readGit(name string) string {
	file, err := openFile(f.root, path.Join(".git", name))
	if err != nil {
		return ""
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxPath))
	if err != nil {
		return ""
	}
	return string(text)
}

// copyGit puts a copy of a file of ours into the repository in the tree.
func (f *Far) copyGit(name, from string) error {
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	defer file.Close()
	return f.writeGit(name, file)
}

// writeGit writes a file of the repository in the tree, whatever is there.
func (f *Far) writeGit(name string, content io.Reader) error {
	name = path.Join(".git", name)
	if err := f.root.MkdirAll(path.Dir(name), 0o777); err != nil {
		return err
	}
	stage := name + ".terrarium"
	f.root.Remove(stage) // what somebody who was killed has left
	file, err := f.root.OpenFile(stage, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return f.root.Rename(stage, name)
}
