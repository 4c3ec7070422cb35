package remotes

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
	"github.com/terrarium-dev/terrarium/plugins/http"
)

// A smart endpoint is a repository that a server has: https://git-scm.com/docs/http-protocol. It
// speaks version 0 of the protocol, which all servers do.
type smart struct {
	c    *cli.Call
	base string // the repository's URL, without who asks and without a "/" at its end
	auth string // the header that says who asks, "" for none

	there *advertisement
	can   []string // what the server can do
}

// What a server may answer, so that it ends.
const (
	maxAdvertised = 64 << 20 // bytes
	maxRefs       = 1 << 20
	maxRedirects  = 5
	maxHaves      = 256 // commits that we say we have
)

func newSmart(c *cli.Call, text string) (endpoint, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return nil, cli.Fatal("unable to access '%s': it is no URL", withoutPassword(text))
	}
	s := &smart{c: c}
	if u.User != nil {
		password, _ := u.User.Password()
		s.auth = "Basic " + base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password))
		u.User = nil
	}
	s.base = strings.TrimRight(u.String(), "/")
	return s, nil
}

// ask sends one request. The response's Body is the caller's to close.
func (s *smart) ask(method, at, kind string, body io.Reader, size int64) (*http.Response, error) {
	r := &http.Request{Method: method, URL: at, Body: body, Length: size, Header: []http.Field{{Name: "User-Agent", Value: "git/2.39.5"}}}
	if s.auth != "" {
		r.Header = append(r.Header, http.Field{Name: "Authorization", Value: s.auth})
	}
	if kind != "" {
		r.Header = append(r.Header, http.Field{Name: "Content-Type", Value: "application/x-" + kind + "-request"},
			http.Field{Name: "Accept", Value: "application/x-" + kind + "-result"})
	}
	answer, err := cli.HTTP(context.Background(), r)
	if errors.Is(err, errors.ErrUnsupported) {
		host := "HOST"
		if u, err := url.Parse(at); err == nil {
			host = u.Host
		}
		return nil, cli.Fatal("unable to access '%s/': this sandbox has no network; the person who started it can allow it: --net %s", s.base, host)
	}
	if err != nil {
		return nil, cli.Fatal("unable to access '%s/': %s", s.base, printable(err.Error()))
	}
	return answer, nil
}

// refused is what a status means that is none of success.
func (s *smart) refused(status int) error {
	switch status {
	case 401:
		return cli.Fatal("Authentication failed for '%s/'", s.base)
	case 404:
		return cli.Fatal("repository '%s/' not found", s.base)
	}
	return cli.Fatal("unable to access '%s/': The requested URL returned error: %d", s.base, status)
}

func (s *smart) advertised(push bool) (*advertisement, error) {
	service := "git-upload-pack"
	if push {
		service = "git-receive-pack"
	}
	tail := "/info/refs?service=" + service
	at := s.base + tail
	for range maxRedirects {
		answer, err := s.ask("GET", at, "", nil, 0)
		if err != nil {
			return nil, err
		}
		if answer.Status >= 300 && answer.Status < 400 {
			answer.Body.Close()
			if at, err = s.redirected(at, answer.Get("Location"), tail); err != nil {
				return nil, err
			}
			continue
		}
		defer answer.Body.Close()
		if answer.Status != 200 {
			return nil, s.refused(answer.Status)
		}
		if kind := answer.Get("Content-Type"); kind != "application/x-"+service+"-advertisement" {
			return nil, cli.Fatal("%s/info/refs not valid: is this a git repository?", s.base)
		}
		return s.read(bufio.NewReader(io.LimitReader(answer.Body, maxAdvertised)))
	}
	return nil, cli.Fatal("unable to access '%s/': too many redirects", s.base)
}

// redirected returns where a server sends us, which is the repository's URL from then on. A secret
// is for the host that it was given for, and not for one without TLS.
func (s *smart) redirected(from, to, tail string) (string, error) {
	a, err := url.Parse(from)
	if err != nil {
		return "", err
	}
	b, err := a.Parse(to)
	if err != nil || b.Host == "" || b.Scheme != "http" && b.Scheme != "https" || a.Scheme == "https" && b.Scheme == "http" {
		return "", cli.Fatal("unable to access '%s/': it redirects to where git does not follow", s.base)
	}
	if b.Host != a.Host || b.Scheme != a.Scheme {
		s.auth = ""
	}
	b.User = nil
	base, ok := strings.CutSuffix(b.String(), tail)
	if !ok {
		return "", cli.Fatal("unable to update url base from redirection:\n  asked for: %s\n   redirect: %s", from, printable(b.String()))
	}
	s.base = base
	return b.String(), nil
}

// read reads what references there are.
func (s *smart) read(in io.Reader) (*advertisement, error) {
	broken := cli.Fatal("%s/info/refs not valid: is this a git repository?", s.base)
	if p, err := readPacket(in); err != nil || !bytes.HasPrefix(p, []byte("# service=")) {
		return nil, broken
	}
	if p, err := readPacket(in); err != nil || p != nil {
		return nil, broken
	}
	a := &advertisement{}
	for i := 0; ; i++ {
		p, err := readPacket(in)
		if err != nil || i > maxRefs {
			return nil, broken
		}
		if p == nil {
			break
		}
		line := strings.TrimSuffix(string(p), "\n")
		if text, ok := strings.CutPrefix(line, "ERR "); ok {
			return nil, cli.Fatal("remote error: %s", printable(text))
		}
		line, can, _ := strings.Cut(line, "\x00")
		if i == 0 {
			s.can = strings.Fields(can)
		}
		id, name, ok := strings.Cut(line, " ")
		h, isHash := plumbing.FromHex(id)
		if !ok || !isHash || len(id) != 40 {
			return nil, broken
		}
		switch tag, peeled := strings.CutSuffix(name, "^{}"); {
		case name == "capabilities^{}" || strings.HasPrefix(line, "shallow "):
		case peeled && len(a.refs) > 0 && a.refs[len(a.refs)-1].name == tag:
			a.refs[len(a.refs)-1].peeled = h
		case name != "HEAD" && !safeRef(name):
			return nil, cli.Fatal("the server names a reference '%s', which can't be one", printable(name))
		default:
			a.refs = append(a.refs, advertised{name: name, h: h})
		}
	}
	for _, word := range s.can {
		if head, ok := strings.CutPrefix(word, "symref=HEAD:"); ok && safeRef(head) {
			a.head = head
		}
	}
	s.there = a
	return a, nil
}

func (s *smart) fetch(to *repo.Repo, wants []plumbing.Hash, depth int) error {
	ends, err := to.Shallow()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for i, h := range wants {
		can := ""
		if i == 0 {
			can = " side-band-64k ofs-delta no-progress agent=git/2.39.5"
		}
		writePacket(&b, "want %s%s\n", h, can)
	}
	for h := range ends { // or the server takes what is behind them for known
		writePacket(&b, "shallow %s\n", h)
	}
	if depth > 0 {
		writePacket(&b, "deepen %d\n", depth)
	}
	b.WriteString("0000")
	haves, err := tips(to)
	if err != nil {
		return err
	}
	for _, h := range haves {
		writePacket(&b, "have %s\n", h)
	}
	writePacket(&b, "done\n")
	answer, err := s.ask("POST", s.base+"/git-upload-pack", "git-upload-pack", &b, int64(b.Len()))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.Status != 200 {
		return s.refused(answer.Status)
	}
	in := &bands{in: bufio.NewReader(answer.Body), c: s.c, deepens: depth > 0}
	if err := to.StorePack(in); err != nil {
		var f *cli.Failure
		if errors.As(err, &f) {
			return err
		}
		return cli.Fatal("the pack that %s sent can't be used: %s", s.base, printable(err.Error()))
	}
	if len(in.shallow) > 0 {
		if err := to.SetShallow(in.shallow); err != nil {
			return err
		}
	}
	for _, h := range wants {
		if !to.Has(h) {
			return cli.Fatal("%s did not send all necessary objects", s.base)
		}
	}
	if err := to.Connected(wants, haves); err != nil {
		return cli.Fatal("%s did not send all necessary objects", s.base)
	}
	return nil
}

// tips are the commits that we say we have.
func tips(r *repo.Repo) (out []plumbing.Hash, err error) {
	names, err := r.Refs("refs/")
	seen := map[plumbing.Hash]bool{}
	for _, name := range names {
		if h := r.Ref("refs/" + name); h != repo.Zero && !seen[h] && r.Has(h) && len(out) < maxHaves {
			seen[h] = true
			out = append(out, h)
		}
	}
	return out, err
}

func (s *smart) push(from *repo.Repo, updates []*update) error {
	var b bytes.Buffer
	var wants, known []plumbing.Hash
	for i, u := range updates {
		can := ""
		if i == 0 {
			can = "\x00 report-status side-band-64k agent=git/2.39.5"
		}
		writePacket(&b, "%s %s %s%s", u.old, u.now, u.dst, can)
		if u.now != repo.Zero {
			wants = append(wants, u.now)
		}
	}
	b.WriteString("0000")
	body, size := io.Reader(&b), int64(b.Len())
	if len(wants) > 0 {
		for _, r := range s.there.refs {
			if from.Has(r.h) {
				known = append(known, r.h)
			}
		}
		pack, err := from.MakePack(wants, known)
		if err != nil {
			return err
		}
		defer os.Remove(pack.Name())
		defer pack.Close()
		info, err := pack.Stat()
		if err != nil {
			return err
		}
		body, size = io.MultiReader(&b, pack), size+info.Size()
	}
	answer, err := s.ask("POST", s.base+"/git-receive-pack", "git-receive-pack", body, size)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.Status != 200 {
		return s.refused(answer.Status)
	}
	report := &bands{in: bufio.NewReader(io.LimitReader(answer.Body, maxAdvertised)), c: s.c, tells: true}
	done := map[string]bool{}
	for {
		p, err := readPacket(report)
		if err != nil {
			return cli.Fatal("the remote end hung up unexpectedly")
		}
		if p == nil {
			break
		}
		word, rest, _ := strings.Cut(strings.TrimSuffix(string(p), "\n"), " ")
		name, why, _ := strings.Cut(rest, " ")
		switch {
		case word == "unpack" && rest != "ok":
			return cli.Wrong("remote unpack failed: %s", printable(rest))
		case word == "ok":
			done[rest] = true
		case word == "ng":
			for _, u := range updates {
				if u.dst == name {
					u.remote = printable(why)
				}
			}
		}
	}
	for _, u := range updates {
		if !done[u.dst] && u.remote == "" {
			u.remote = "no report"
		}
	}
	return nil
}

// bands reads the first of the three streams that a server sends side by side. What the second says
// is told; the third ends it.
type bands struct {
	c       *cli.Call
	in      io.Reader
	tells   bool
	deepens bool // whether it was asked where history ends
	rest    []byte
	begun   bool
	beside  int // bytes of packets that had none of the first
	shallow []plumbing.Hash
}

func (b *bands) Read(p []byte) (int, error) {
	for len(b.rest) == 0 {
		if err := b.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

func (b *bands) next() error {
	p, err := readPacket(b.in)
	switch {
	case err != nil:
		return io.ErrUnexpectedEOF
	case p == nil && b.begun:
		return io.EOF
	}
	if len(p) <= 1 || p[0] != 1 {
		if b.beside += len(p) + 4; b.beside > maxAdvertised {
			return errors.New("it says too much beside the pack")
		}
	}
	if len(p) == 0 {
		return nil
	}
	text := strings.TrimSuffix(string(p[1:]), "\n")
	switch p[0] {
	case 1:
		b.begun, b.rest = true, p[1:]
	case 2:
		if b.tells {
			tell(b.c, text)
		}
	case 3:
		return cli.Fatal("remote error: %s", printable(text))
	case 'E':
		return cli.Fatal("remote error: %s", printable(strings.TrimPrefix(text, "RR ")))
	case 's':
		if !b.deepens { // it would hide history that is here
			return errors.New("it says that history ends, which it was not asked for")
		}
		if h, ok := plumbing.FromHex(strings.TrimPrefix(text, "hallow ")); ok && len(b.shallow) < maxRefs {
			b.shallow = append(b.shallow, h)
		}
	}
	return nil // also of what says which commits both have: ACK and NAK
}

// readPacket reads a line of git's protocol, four digits of length and what they count; nil is
// where a list ends. https://git-scm.com/docs/protocol-common
func readPacket(in io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, err
	}
	n, err := strconv.ParseUint(string(head[:]), 16, 16)
	switch {
	case err != nil:
		return nil, err
	case n == 0:
		return nil, nil
	case n < 4:
		return nil, errors.New("a packet is malformed")
	}
	p := make([]byte, n-4)
	_, err = io.ReadFull(in, p)
	return p, err
}

func writePacket(b *bytes.Buffer, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	fmt.Fprintf(b, "%04x%s", len(text)+4, text)
}
