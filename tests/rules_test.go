package tests

// This file is a table: who may import what, and why not more. deps_test.go enforces it.

// A rule says what a package of ours may import. Packages are named by their path below the module;
// "x/..." is x and all below it. The first rule that matches counts. A package in an "internal"
// folder without a rule of its own follows the rule of the package around it.
type rule struct {
	path string
	ours []string // packages of ours
	// modules, or packages of modules; the standard library is free unless a ban says otherwise
	others []string
	bans   []ban
	why    string // the reason for the limits in ours and others
}

// A ban names packages that must not be imported, or not even be reached through what is imported.
type ban struct {
	packages []string
	except   []string // of packages, are allowed
	deep     bool     // also through others
	why      string
}

// values are packages that only compute, although what is around them does not.
var values = []string{"net/netip"}

// anyModule in rule.others allows all libraries.
const anyModule = "..."

var (
	// pure is what keeps the core a function of its inputs. TestPure in core enforces the rest.
	pure = ban{
		packages: []string{"sync/...", "context", "os/...", "net/...", "syscall/...", "log/...", "math/rand/...", "crypto/rand"},
		except:   values,
		why:      "the core has no goroutines, no I/O, no clock and no randomness: they break in the reactor or in a replay",
	}
	// lean keeps packages small that JavaScript downloads.
	lean = ban{
		packages: []string{"fmt", "encoding/json/...", "reflect", "regexp/...", "text/...", "encoding/hex", "encoding/binary"},
		why:      "it brings reflection into the reactor: fmt costs 75 KB there and encoding/json 228 KB, compressed",
	}
	// safe leaves raw memory to the reactor's exports.
	safe = ban{
		packages: []string{"unsafe", "C"},
		why:      "bytes from outside must never reach memory directly; only cmd/reactor shares memory with its embedder",
	}
	// offline holds for all below core, the driver too.
	offline = ban{
		packages: []string{
			"os/exec", "net/...", "github.com/creack/pty/...",
			"github.com/tetratelabs/wazero/...", "github.com/bytecodealliance/wasmtime-go/...",
		},
		except: values,
		deep:   true,
		why:    "the core and its driver know hosts only as an interface; what starts processes lives in hostnative and hostwasm",
	}
	// scriptless is not deep: in a page the standard library has its time from JavaScript.
	scriptless = ban{packages: []string{"syscall/js"}, why: offline.why}
)

const (
	whyCore    = "the core is its own foundation: it imports downwards, and only the standard library of others"
	whyDriver  = "the driver joins the core and any Host, so it may know neither a host nor a library"
	whyHosts   = "a host knows the core and the driver's interface; a program that uses one must not pay for the other"
	whyTops    = "nothing imports cmd or tests: they are where everything comes together"
	whySigned  = "OpenPGP, which go-git's plumbing/object brings, makes tables at each start of a command"
	whyPlugins = "plugins run inside the sandbox and must build without anything of ours outside it"
	whyOtel    = "OpenTelemetry's library stays in one package, which the build tag nootel empties"
	whyMCP     = "the Model Context Protocol's library stays in one package, which serves terminals and wires nothing"
	whyFleet   = "NATS and its server stay in one package: what is above it knows workers and places, and no subject"
	whyLive    = "the library that draws stays in one package, so that it can be replaced, and nothing else waits for a terminal"
	whyDev     = "the check scripts use the standard library, so that they work when all else is broken"
)

var rules = []rule{
	{path: "core", ours: []string{"core/render", "core/ring", "core/text", "core/vt"}, bans: []ban{pure, lean, safe, offline}, why: whyCore},
	{path: "core/ring", bans: []ban{pure, lean, safe, offline}, why: whyCore},
	{path: "core/render", ours: []string{"core/text", "core/vt"}, bans: []ban{pure, lean, safe, offline}, why: whyCore},
	{path: "core/text", ours: []string{"core/vt"}, bans: []ban{pure, lean, safe, offline}, why: whyCore},
	{path: "core/vt", bans: []ban{pure, lean, safe, offline}, why: whyCore},
	{path: "core/keys", bans: []ban{pure, lean, safe, offline}, why: whyCore},
	{path: "core/jsonrpc", bans: []ban{pure, lean, safe, offline}, why: whyCore},
	{path: "core/acp", ours: []string{"core", "core/jsonrpc"}, bans: []ban{pure, lean, safe, offline}, why: whyCore},
	{path: "core/abi", ours: []string{"core", "core/jsonrpc"}, bans: []ban{pure, lean, safe, offline}, why: whyCore},
	{path: "core/challenge", ours: []string{"core", "core/keys", "core/jsonrpc"},
		bans: []ban{pure, lean, safe, offline}, why: whyCore},
	{path: "core/meter", bans: []ban{pure, lean, safe, offline}, why: whyCore},
	{path: "core/meter/metertest", bans: []ban{pure, safe, offline}, why: whyCore},
	{path: "core/egress", bans: []ban{pure, lean, safe, offline}, why: whyCore},
	{path: "core/policy", ours: []string{"core"}, others: []string{"mvdan.cc/sh/v3/syntax", "github.com/pelletier/go-toml/v2"},
		bans: []ban{pure, safe, offline}, why: whyCore},

	{path: "core/driver", ours: []string{"core", "core/keys", "core/vt"}, bans: []ban{safe, offline, scriptless}, why: whyDriver},
	{path: "core/driver/audit", ours: []string{"core", "core/jsonrpc", "core/driver"}, bans: []ban{safe, offline, scriptless},
		why: "the record must not fail because of what it tells of, so it knows the driver's interface and the standard library"},
	{path: "core/driver/wire", bans: []ban{safe, offline, scriptless},
		why: "a worker of the sandbox lives for milliseconds, and both ends of a stream have it"},
	{path: "core/driver/...", ours: []string{"core/..."}, bans: []ban{safe, offline, scriptless}, why: whyDriver},
	{path: "core/coretest",
		ours:   []string{"core", "core/acp", "core/jsonrpc", "core/driver", "core/driver/acpconn"},
		others: []string{"golang.org/x/tools/txtar", "github.com/google/go-cmp"},
		bans:   []ban{offline, scriptless}, why: whyDriver},

	{path: "hostnative/...", ours: []string{"core", "core/driver", "core/egress"},
		others: []string{"github.com/creack/pty", "golang.org/x/sys", "github.com/landlock-lsm/go-landlock/landlock/syscall"},
		bans: []ban{{
			packages: []string{"github.com/tetratelabs/wazero/...", "github.com/bytecodealliance/wasmtime-go/..."},
			deep:     true, why: whyHosts,
		}}, why: whyHosts},
	{path: "hostwasm/engine/wasmtime", ours: []string{"core", "core/meter", "core/driver", "hostwasm/..."},
		others: []string{"github.com/bytecodealliance/wasmtime-go/v39", "golang.org/x/sys"}, why: whyHosts},
	{path: "hostwasm/httpfetch", ours: []string{"core/egress"}, why: "it is linked where somebody gives commands a network, and then alone"},
	{path: "hostwasm/...", ours: []string{"core", "core/meter", "core/driver", "core/driver/wire"},
		others: []string{"github.com/tetratelabs/wazero", "golang.org/x/sys"},
		bans:   []ban{{packages: []string{"github.com/creack/pty/..."}, deep: true, why: whyHosts}}, why: whyHosts},

	{path: "plugins/fs", why: "the guest's side of our imports is in every plugin, so it must cost none of them a library"},
	{path: "plugins/zones", why: "it is in every plugin that shows times, so it must cost none of them a library"},
	{path: "plugins/...", ours: []string{"plugins/..."}, others: []string{anyModule},
		bans: []ban{{packages: []string{"github.com/ProtonMail/go-crypto/..."}, deep: true, why: whySigned}}, why: whyPlugins},
	{path: "web", why: "it only embeds files"},

	{path: "cmd/terrarium/internal/otel", ours: []string{"core", "core/driver", "core/driver/acpconn", "core/driver/audit", "cmd/terrarium/internal/printable"},
		others: []string{"go.opentelemetry.io/...", "github.com/go-logr/logr"}, why: whyOtel},
	{path: "cmd/terrarium/internal/client/live",
		ours:   []string{"core", "core/render", "core/vt", "cmd/terrarium/internal/client", "cmd/terrarium/internal/paint"},
		others: []string{"charm.land/bubbletea/v2"}, why: whyLive},
	{path: "cmd/terrarium/internal/mcp",
		ours: []string{
			"core", "core/driver", "core/jsonrpc", "core/keys", "core/vt",
			"cmd/terrarium/internal/ask", "cmd/terrarium/internal/printable",
		},
		others: []string{"github.com/modelcontextprotocol/go-sdk", "github.com/google/jsonschema-go"}, why: whyMCP},
	{path: "cmd/terrarium/internal/fleet", ours: []string{"core/...", "hostnative/...", "cmd/terrarium/internal/dirlock", "cmd/terrarium/internal/private"},
		others: []string{"github.com/nats-io/..."}, why: whyFleet},
	{path: "cmd/terrarium/...", ours: []string{"core/...", "hostnative/...", "hostwasm/...", "plugins/...", "web"}, others: []string{anyModule},
		bans: []ban{
			{packages: []string{"go.opentelemetry.io/...", "github.com/go-logr/..."}, why: whyOtel},
			{packages: []string{"github.com/modelcontextprotocol/go-sdk/...", "github.com/google/jsonschema-go/..."}, why: whyMCP},
			{packages: []string{"charm.land/...", "github.com/charmbracelet/..."}, why: whyLive},
			{packages: []string{"github.com/nats-io/..."}, why: whyFleet},
		},
		why: "the check scripts and the reactor are other programs"},
	{path: "cmd/reactor",
		ours: []string{
			"core", "core/abi", "core/render", "core/ring", "core/text", "core/vt", "core/keys", "core/jsonrpc", "core/acp", "core/challenge",
			"core/meter",
		},
		bans: []ban{
			offline,
			{
				packages: []string{"fmt", "encoding/json/...", "reflect", "regexp/...", "mvdan.cc/sh/v3/..."},
				deep:     true, why: lean.why,
			},
		},
		why: "the reactor is the core and nothing else: no driver, no policy, no library"},
	{path: "cmd/sandbox", ours: []string{"core/...", "hostwasm/..."},
		bans: []ban{{
			packages: []string{
				"net/...", "encoding/json/...", "regexp/...", "mvdan.cc/sh/v3/...",
				"github.com/tetratelabs/wazero/...", "github.com/bytecodealliance/wasmtime-go/...",
			},
			deep: true, why: "every page fetches it: the browser is its engine, and core/jsonrpc reads its JSON",
		}},
		why: "the sandbox is what a page needs and nothing else: no plugins, no native commands, no library"},
	{path: "cmd/dev/internal/webplugins", ours: []string{"hostwasm/engine/page/bundle", "plugins"},
		why: "what plugins become for a page is decided beside its engine; this only writes it to files"},
	{path: "cmd/dev/internal/...", ours: []string{"core/..."}, why: whyDev},
	{path: "cmd/dev", why: whyDev},

	{path: "tests/...", ours: []string{"core/...", "hostnative/...", "hostwasm/...", "plugins/...", "web"}, others: []string{anyModule},
		why: "tests here see only what a user of the packages sees"},
}
