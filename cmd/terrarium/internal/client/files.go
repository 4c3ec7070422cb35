package client

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// maxFile is how large a file may be that is read, in bytes, and how much of it an answer has:
// peers of the Go SDK read 10 MiB.
const (
	maxFile   = 64 << 20
	maxAnswer = 10_000_000
)

// files are those of the session's directory. No name, and no symbolic link, leads out of it.
type files struct {
	root      *os.Root
	dirs      []string               // by which names it is known
	protected func(path string) bool // Config.Protected
}

func newFiles(root *os.Root, c *Config) *files {
	return &files{root, []string{filepath.Clean(c.Workspace), resolved(c.Workspace)}, c.Protected}
}

// A fileError says why a file can't be had, in a stable word and in words.
type fileError struct{ reason, text string }

func (e *fileError) Error() string { return e.text }

// below returns the path below the directory that an absolute one means.
func (f *files) below(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", &fileError{"not_absolute", "path must be absolute"}
	}
	for _, dir := range f.dirs {
		if rel, err := filepath.Rel(dir, filepath.Clean(path)); err == nil && filepath.IsLocal(rel) {
			return rel, nil
		}
	}
	return "", &fileError{"outside_session", "path is outside of the session's directory"}
}

// open opens a file, and no pipe or device: who opens one may wait for ever, or do something.
func (f *files) open(path string, flag int) (*os.File, error) {
	rel, err := f.below(path)
	if err != nil {
		return nil, err
	}
	if flag&os.O_CREATE != 0 {
		if err := f.root.MkdirAll(filepath.Dir(rel), 0o777); err != nil {
			return nil, err
		}
	}
	file, err := f.root.OpenFile(rel, flag|syscall.O_NONBLOCK, 0o666)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		file.Close()
		return nil, &fileError{"not_a_file", "it is no regular file"}
	}
	return file, nil
}

// read returns the text of a file: at most limit lines from line first on, which counts from 1.
func (f *files) read(path string, first, limit uint64) (string, error) {
	file, err := f.open(path, os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return "", err
	case len(data) > maxFile:
		return "", &fileError{"too_large", "the file is too large: over 64 MiB"}
	case !utf8.Valid(data):
		return "", &fileError{"not_text", "the file is no UTF-8 text"}
	}
	return string(linesOf(data, first, limit)), nil
}

// linesOf returns at most limit lines of data, from line first on.
func linesOf(data []byte, first, limit uint64) []byte {
	start, n := 0, uint64(1)
	for ; n < first; n++ {
		i := bytes.IndexByte(data[start:], '\n')
		if i < 0 {
			return nil
		}
		start += i + 1
	}
	end := start
	for ; limit > 0 && end < len(data); limit-- {
		i := bytes.IndexByte(data[end:], '\n')
		if i < 0 {
			return data[start:]
		}
		end += i + 1
	}
	return data[start:end]
}

var errProtected = &fileError{"protected", "the file is protected: what is in it runs later, outside of the sandbox, so only the person changes it"}

// write replaces what is in a file, or makes it.
func (f *files) write(path, content string) error {
	if f.protected != nil && f.protected(path) {
		return errProtected
	}
	file, err := f.open(path, os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return err
	}
	// One of them may be protected: a command can make such.
	if f.protected != nil && hasMoreNames(file) {
		file.Close()
		return errProtected
	}
	err = file.Truncate(0) // not before it is known to be a file
	if err == nil {
		_, err = file.WriteString(content)
	}
	return errors.Join(err, file.Close())
}

// hasMoreNames reports whether a file is known by several names ("hard links"), or may be.
func hasMoreNames(file *os.File) bool {
	info, err := file.Stat()
	if err != nil {
		return true
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || stat.Nlink > 1
}

// file serves fs/read_text_file and fs/write_text_file, and returns the answer.
func (k *client) file(m *jsonrpc.Message) []byte {
	if !k.isOurs(m.Params) {
		return unknownSession(m.ID)
	}
	e := File{Path: textOf(m.Params, "path"), Write: m.Method == "fs/write_text_file"}
	var text string
	content, _ := m.Params.Get("content")
	first, firstOK := optionalCount(m.Params, "line", 1)
	limit, limitOK := optionalCount(m.Params, "limit", 1<<32)
	switch {
	case e.Path == "":
		return badParam(m.ID, "path")
	case e.Write && content.Kind() != jsonrpc.String:
		return badParam(m.ID, "content")
	case !firstOK:
		return badParam(m.ID, "line")
	case !limitOK:
		return badParam(m.ID, "limit")
	case e.Write:
		if text, e.Err = content.Text(); e.Err == nil {
			e.Err = k.files.write(e.Path, text)
		}
	default:
		text, e.Err = k.files.read(e.Path, first, limit)
	}
	e.Bytes = len(text)
	var line []byte
	if len(text) > maxAnswer { // and more so as JSON, which may take six times as much memory
		e.Err = errTooLarge
	}
	if e.Err == nil {
		line = append(jsonrpc.AppendResponseHead(nil, m.ID), '{')
		if !e.Write {
			line = jsonrpc.AppendString(jsonrpc.AppendKey(line, "content"), text)
		}
		line = jsonrpc.AppendTail(append(line, '}'))
		if len(line) > maxAnswer {
			e.Err = errTooLarge
		}
	}
	k.view.Show(e)
	if e.Err != nil {
		return jsonrpc.AppendError(nil, m.ID, fileFailure(e.Err, e.Path))
	}
	return line
}

var errTooLarge = &fileError{"too_large", "the text is too large for an answer, over 10 MB: ask for fewer lines"}

// badParam says that a parameter is not as it has to be.
func badParam(id jsonrpc.ID, param string) []byte {
	return jsonrpc.AppendError(nil, id, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "type").With("param", param))
}

// optionalCount reads a number that may be null or absent.
func optionalCount(v jsonrpc.Value, key string, absent uint64) (n uint64, ok bool) {
	member, _ := v.Get(key)
	if member.Kind() == jsonrpc.Absent || member.IsNull() {
		return absent, true
	}
	n, err := member.Uint64()
	return n, err == nil
}

// fileFailure is the error that the agent gets.
func fileFailure(err error, path string) *jsonrpc.Error {
	code, reason, text := jsonrpc.CodeInternalError, "io", err.Error()
	if known, ok := errors.AsType[*fileError](err); ok {
		code, reason = jsonrpc.CodeInvalidParams, known.reason
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code, reason = jsonrpc.CodeResourceNotFound, "not_found"
	case errors.Is(err, fs.ErrPermission):
		reason = "permission_denied"
	// os.Root has no error that can be compared.
	case strings.Contains(text, "path escapes from parent"):
		code, reason = jsonrpc.CodeInvalidParams, "outside_session"
	}
	e := jsonrpc.NewError(code, reason).With("path", clip(path, 4<<10))
	e.Message = clip(text, maxMessage)
	return e
}
