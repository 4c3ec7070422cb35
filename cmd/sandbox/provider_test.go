package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// next waits for the next question to a provider.
func (f fixture) next(t *testing.T, op string) (q question) {
	t.Helper()
	f.recorder.wait(t, op, func() bool { return len(f.asked) > 0 })
	f.note(func() {
		q, f.asked = f.asked[0], f.asked[1:]
	})
	if q.Op != op {
		t.Fatalf("asked %+v, want %s", q, op)
	}
	return q
}

// answer answers a question of a provider, or fails it.
func (f fixture) answer(t *testing.T, q question, failed int32, text string) {
	t.Helper()
	f.expect(t, "answer", f.provided(q.Request, failed, f.put(text)), ok)
}

// waited is what comes of a call that has to wait.
func (f fixture) waited(t *testing.T, status int32) int32 {
	t.Helper()
	var request int32
	f.expect(t, "a call that waits", status, waits)
	if _, err := fmt.Sscanf(string(f.result), `{"request":%d}`, &request); err != nil {
		t.Fatalf("%s: %v", f.result, err)
	}
	return request
}

func (f fixture) come(t *testing.T, request int32) int32 {
	t.Helper()
	f.find(t, "its outcome", func(e event) bool { return e.Event == "file" && e.Request == request })
	return f.fileResult(request)
}

// TestProvider: calls about files of a provider wait for it; all others do not.
func TestProvider(t *testing.T) {
	f := newFixture(t, `{"cwd":"/work/sub","mounts":[{"path":"/work"},{"path":"/other","timeoutMs":100}]}`)
	f.fileChanges()
	f.expect(t, "list of the root", f.fileList(f.put("/")), ok)
	if got := string(f.result); got != `[["other",2],["work",2]]` {
		t.Errorf("the root has %s", got)
	}
	stat := f.waited(t, f.fileStat(f.put("/work/a")))
	f.expect(t, "a result before it is there", f.fileResult(stat), unknown)
	q := f.next(t, "stat")
	if q.Mount != 0 || q.Path != "/a" {
		t.Errorf("asked %+v", q)
	}
	f.answer(t, q, 0, `{"type":1,"size":3,"mtimeMs":1000}`)
	f.expect(t, "stat", f.come(t, stat), ok)
	if got := string(f.result); got != `{"type":1,"size":3,"mode":420,"mtimeMs":1000,"ctimeMs":0}` {
		t.Errorf("stat: %s", got)
	}
	f.expect(t, "a result twice", f.fileResult(stat), unknown)
	f.expect(t, "an answer twice", f.provided(q.Request, 0, f.put("{}")), unknown)

	f.put("/work/a", "new")
	write := f.waited(t, f.fileWrite(7, 3, makeFile|replaceFile|makeDirs, 0))
	f.put("something else in the input")
	f.answer(t, f.next(t, "stat"), 1, `{"reason":"file_not_found"}`)
	if q = f.next(t, "writeFile"); q.data != "" || !q.Create || !q.Overwrite {
		t.Errorf("asked %+v", q)
	}
	f.answer(t, q, 0, "")
	if q = f.next(t, "writeFile"); q.data != "new" || q.Path != "/a" {
		t.Errorf("asked %+v", q)
	}
	f.answer(t, q, 0, "")
	f.expect(t, "write", f.come(t, write), ok)
	f.expect(t, "announce", f.providerChanged(0, f.put(`[[3,"/b"]]`)), ok)
	f.expect(t, "changes", f.fileChanges(), ok)
	if got := string(f.result); got != `[[2,"/work/a"],[3,"/work/b"]]` {
		t.Errorf("changes: %s", got)
	}

	// What it does not answer in time has failed, and is told.
	late := f.waited(t, f.fileRead(f.put("/other/x")))
	f.expect(t, "no answer", f.come(t, late), badFile)
	if got := string(f.result); !strings.Contains(got, `"reason":"timeout"`) {
		t.Errorf("no answer: %s", got)
	}
	f.find(t, "what is wrong", func(e event) bool { return e.Event == "provider" })
	q = f.next(t, "stat")
	f.answer(t, q, 0, `{"type":1}`) // nobody waits for it

	// Hostile answers.
	for _, bad := range []string{``, `[]`, `{"type":"x"}`, `{"type":1,"size":-1}`, `{"type":1,"size":1e300}`, `{"type":300}`, `{"type":0}`, `{"no":1}`} {
		stat := f.waited(t, f.fileStat(f.put("/work/a")))
		f.answer(t, f.next(t, "stat"), 0, bad)
		f.expect(t, "stat "+bad, f.come(t, stat), failed)
	}
	for _, bad := range []string{`{}`, `[1]`, `[["a",1,1,1]]`, `[["../a",1]]`, `[["a","b"]]`, `[["a/b",1]]`, `[["",2]]`, `[["a\u0000",1]]`} {
		list := f.waited(t, f.fileList(f.put("/work")))
		f.answer(t, f.next(t, "readDirectory"), 0, bad)
		f.expect(t, "list "+bad, f.come(t, list), failed)
	}
	for _, bad := range []string{`{}`, `[[1]]`, `[[0,"/a"]]`, `[[1,"a"]]`, `[[1,"/a/../b"]]`, `[[1,"/a",3]]`} {
		if f.providerChanged(0, f.put(bad)) == ok {
			t.Errorf("changed %s: no error", bad)
		}
	}
	f.expect(t, "another mount", f.providerChanged(2, f.put(`[]`)), badArgument)
	f.expect(t, "words that are none", func() int32 {
		stat := f.waited(t, f.fileStat(f.put("/work/a")))
		f.answer(t, f.next(t, "stat"), 1, `{"reason":7}`)
		return f.come(t, stat)
	}(), failed)
}

// TestProviderMounts: a mount has a place of its own.
func TestProviderMounts(t *testing.T) {
	for _, bad := range []string{`"/"`, `"/tmp"`, `"/bin/x"`, `"work"`, `"/work/"`, `"/work/../x"`, `"/a"},{"path":"/a"`, `"/a"},{"path":"/a/b"`} {
		if _, err := decodeConfig([]byte(`{"mounts":[{"path":` + bad + `}]}`)); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}

// TestProviderUnanswered: a provider may owe so many answers, and no more.
func TestProviderUnanswered(t *testing.T) {
	f := newFixture(t, `{"mounts":[{"path":"/work","timeoutMs":1}]}`)
	owed := func() (n int) {
		f.note(func() { n = len(f.asked) })
		return n
	}
	for owed() < maxUnanswered {
		late := f.waited(t, f.fileStat(f.put("/work/a")))
		f.expect(t, "no answer", f.come(t, late), badFile)
	}
	f.find(t, "timeout", func(e event) bool { return e.Event == "provider" && e.Reason == "provider_timeout" })
	for range 10 {
		f.come(t, f.waited(t, f.fileStat(f.put("/work/a"))))
	}
	if n := owed(); n != maxUnanswered {
		t.Errorf("%d questions, want %d", n, maxUnanswered)
	}
	f.find(t, "too many", func(e event) bool { return e.Event == "provider" && e.Reason == "provider_failed" })
	f.answer(t, f.next(t, "stat"), 0, "{}")
	for owed() < maxUnanswered {
		f.come(t, f.waited(t, f.fileStat(f.put("/work/a"))))
	}
}

// TestProviderClose: what was written arrives before all is told to be closed.
func TestProviderClose(t *testing.T) {
	f := newFixture(t, `{"mounts":[{"path":"/work"}]}`)
	work := f.sandbox.files.mounts[0].files
	opened := make(chan vfs.File, 1)
	go func() {
		file, _ := work.Open("a", vfs.How{Write: true})
		opened <- file
	}()
	f.answer(t, f.next(t, "stat"), 0, `{"type":1}`)
	f.answer(t, f.next(t, "readFile"), 0, "")
	if _, err := (<-opened).WriteAt([]byte("last"), 0); err != nil {
		t.Fatal(err)
	}
	f.expect(t, "close_all", f.closeAll(), ok)
	q := f.next(t, "writeFile")
	f.note(func() {
		for _, e := range f.events {
			if e.Event == "closed" {
				t.Error("it was closed before")
			}
		}
	})
	f.answer(t, q, 0, "")
	if q.data != "last" {
		t.Errorf("it has %q", q.data)
	}
	f.find(t, "closed", func(e event) bool { return e.Event == "closed" })
}
