package transfer

import (
	"os"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/clock"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const wgetOptions = "V,version h,help b,background e,execute= o,output-file= a,append-output= d,debug q,quiet v,verbose nv,no-verbose i,input-file= " +
	"F,force-html B,base= config= rejected-log= t,tries= retry-connrefused retry-on-http-error= O,output-document= nc,no-clobber no-netrc c,continue " +
	"start-pos= progress= show-progress N,timestamping no-if-modified-since no-use-server-timestamps S,server-response spider T,timeout= dns-timeout= " +
	"connect-timeout= read-timeout= w,wait= waitretry= random-wait no-proxy Q,quota= bind-address= limit-rate= no-dns-cache restrict-file-names= " +
	"4,inet4-only 6,inet6-only prefer-family= user= password= ask-password no-iri x,force-directories nd,no-directories nH,no-host-directories " +
	"protocol-directories P,directory-prefix= cut-dirs= http-user= http-password= no-cache default-page= E,adjust-extension ignore-length header= " +
	"compression= max-redirect= proxy-user= proxy-password= referer= save-headers U,user-agent= no-http-keep-alive no-cookies load-cookies= " +
	"save-cookies= keep-session-cookies post-data= post-file= method= body-data= body-file= content-disposition content-on-error trust-server-names " +
	"auth-no-challenge secure-protocol= https-only no-check-certificate certificate= private-key= ca-certificate= ca-directory= no-hsts " +
	"r,recursive l,level= delete-after k,convert-links K,backup-converted m,mirror p,page-requisites strict-comments A,accept= R,reject= D,domains= " +
	"exclude-domains= follow-ftp H,span-hosts L,relative I,include-directories= X,exclude-directories= np,no-parent"

// The statuses of wget.
const (
	wgetTrouble = 1
	wgetUsage   = 2
	wgetNoHost  = 4
)

// wgetter is one run of wget.
type wgetter struct {
	env    *tool.Env
	level  int // 0 with -q, 1 with -nv, else 2
	status int
	hinted bool
}

func wget(env *tool.Env, args []string) int {
	w := &wgetter{env: env, level: 2}
	args, terse := clusters(args)
	if terse {
		w.level = 1
	}
	opts, err := option.Parse(args[1:], wgetOptions)
	if err != nil {
		env.Errorf("%v", err)
		w.usage()
		return wgetUsage
	}
	urls, output := opts.Operands, ""
	listed := false
	for _, o := range opts.Options {
		switch o.Name {
		case "V":
			env.Out.WriteString("GNU Wget (Terrarium box, works as 1.21.3)\n")
			return 0
		case "h":
			env.Help()
			return 0
		case "q":
			w.level = 0
		case "nv":
			w.level = 1
		case "O":
			output = o.Arg
		case "i":
			listed = true
			urls = append(urls, w.list(o.Arg)...)
		}
	}
	switch {
	case len(urls) == 0 && listed:
		return w.status
	case len(urls) == 0:
		env.Errorf("missing URL")
		w.usage()
		return wgetTrouble
	}
	for _, u := range urls {
		w.get(u, output, opts.Has("spider"))
	}
	return w.status
}

// clusters takes out -nv and its like, whose second letter is no option of its own.
func clusters(args []string) (rest []string, terse bool) {
	for i, a := range args {
		switch {
		case a == "--":
			return append(rest, args[i:]...), terse
		case i > 0 && a == "-nv":
			terse = true
		case i > 0 && (a == "-nc" || a == "-nd" || a == "-nH" || a == "-np"):
		default:
			rest = append(rest, a)
		}
	}
	return rest, terse
}

func (w *wgetter) usage() {
	w.env.Warn("Usage: wget [OPTION]... [URL]...\n\nTry `wget --help' for more options.")
}

// list reads URLs from a file.
func (w *wgetter) list(name string) []string {
	data, err := w.env.ReadFile(name)
	if err != nil {
		w.env.Warn(name + ": " + tool.Strerror(err))
	}
	urls := strings.Fields(string(data))
	if len(urls) == 0 {
		w.env.Warn("No URLs found in " + name + ".")
	}
	return urls
}

// get gets one URL, if it can.
func (w *wgetter) get(url, output string, spider bool) {
	l, ok := parseURL(url)
	switch {
	case !ok:
		w.env.Warn(url + ": Invalid URL " + url + ": Invalid host name")
		w.status = wgetTrouble
		return
	case l.scheme != "http" && l.scheme != "https" && l.scheme != "ftp" && l.scheme != "ftps":
		w.env.Warn(url + ": Unsupported scheme " + w.env.Quote(l.scheme) + ".")
		w.status = wgetTrouble
		return
	}
	if output != "" && output != "-" && !reachable() {
		if f, err := w.env.Create(output, os.O_TRUNC); err == nil {
			f.Close()
		}
	}
	if !strings.Contains(url, "://") {
		url = "http://" + url
	}
	if l.path == "" {
		url += "/"
	}
	if spider && w.level > 1 {
		w.env.Warn("Spider mode enabled. Check if remote file exists.")
	}
	if w.level > 1 {
		w.env.Warn(time.Now().In(clock.Zone(w.env)).Format("--2006-01-02 15:04:05--  ") + url)
	}
	if reachable() && (l.scheme == "http" || l.scheme == "https") {
		w.fetch(url, output, spider)
		return
	}
	w.fail(l)
}

func (w *wgetter) fail(l location) {
	w.status = wgetNoHost
	switch {
	case l.address() && w.level > 0:
		port := l.port
		if port == "" {
			port = curlSchemes[l.scheme]
		}
		w.env.Warn("Connecting to " + l.host + ":" + port + "... failed: Connection refused.")
	case w.level > 1:
		w.env.Warn("Resolving " + l.host + " (" + l.host + ")... failed: Name or service not known.")
	}
	if !l.address() && w.level > 0 {
		w.env.Errorf("unable to resolve host address %s", w.env.Quote(l.host))
	}
	if !w.hinted {
		w.hinted = true
		w.env.Errorf("%s", noNetwork(l))
	}
}
