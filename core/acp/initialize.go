package acp

import (
	"math"
	"strconv"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// ProtocolVersion is the version of ACP that a Conn speaks. DraftVersion comes
// next and is not final; see the package's doc for what is known of it here.
const (
	ProtocolVersion = 1 // what both sides speak if nothing else is agreed
	DraftVersion    = 2 // what terrarium proxy and client may agree to
)

// AgreedVersion returns the version that an agent has chosen in result, its
// answer to initialize. One that chooses DraftVersion, and has no member of an
// answer in that version, repeats what it was asked: it speaks ProtocolVersion.
func AgreedVersion(result jsonrpc.Value) (int64, error) {
	chosen, _ := result.Get("protocolVersion")
	n, err := chosen.Int64()
	if n == DraftVersion {
		info, _ := result.Get("info")
		capabilities, _ := result.Get("capabilities")
		if info.Kind() != jsonrpc.Object && capabilities.Kind() != jsonrpc.Object {
			return ProtocolVersion, err
		}
	}
	return n, err
}

// MethodInitialize opens a connection.
const MethodInitialize = "initialize"

// Implementation names a client or an agent.
type Implementation struct {
	Name    string
	Title   *string
	Version string
	Meta    []byte
}

// DecodeJSON reads i from v.
func (i *Implementation) DecodeJSON(v jsonrpc.Value) error {
	d := decode(v)
	*i = Implementation{Name: d.text("name"), Title: d.lax().optionalText("title"), Version: d.text("version"), Meta: d.meta()}
	return d.err
}

// AppendJSON appends i as JSON.
func (i *Implementation) AppendJSON(dst []byte) []byte {
	dst = appendText(append(dst, '{'), "name", i.Name)
	dst = appendOptionalText(dst, "title", i.Title)
	return appendEnd(appendText(dst, "version", i.Version), i.Meta)
}

// FileSystemCapabilities says which of fs/* a client serves.
type FileSystemCapabilities struct {
	ReadTextFile  bool
	WriteTextFile bool
	Meta          []byte
}

// DecodeJSON reads c from v.
func (c *FileSystemCapabilities) DecodeJSON(v jsonrpc.Value) error {
	d := decode(v)
	*c = FileSystemCapabilities{
		ReadTextFile: d.laxBool("readTextFile"), WriteTextFile: d.laxBool("writeTextFile"), Meta: d.meta(),
	}
	return d.err
}

// AppendJSON appends c as JSON.
func (c *FileSystemCapabilities) AppendJSON(dst []byte) []byte {
	dst = strconv.AppendBool(jsonrpc.AppendKey(append(dst, '{'), "readTextFile"), c.ReadTextFile)
	dst = strconv.AppendBool(jsonrpc.AppendKey(dst, "writeTextFile"), c.WriteTextFile)
	return appendEnd(dst, c.Meta)
}

// ClientCapabilities is what a client offers its agent. Terminal promises all
// five terminal methods. What does not concern terminals is kept raw.
type ClientCapabilities struct {
	FS          FileSystemCapabilities
	Terminal    bool
	Session     []byte
	Auth        []byte
	Elicitation []byte
	Meta        []byte
}

// DecodeJSON reads c from v.
func (c *ClientCapabilities) DecodeJSON(v jsonrpc.Value) error {
	d := decode(v)
	*c = ClientCapabilities{
		Terminal: d.laxBool("terminal"), Session: d.raw("session", jsonrpc.Object),
		Auth: d.raw("auth", jsonrpc.Object), Elicitation: d.raw("elicitation", jsonrpc.Object), Meta: d.meta(),
	}
	fs, _ := d.object.Get("fs")
	_ = c.FS.DecodeJSON(fs) // malformed is none
	return d.err
}

// AppendJSON appends c as JSON.
func (c *ClientCapabilities) AppendJSON(dst []byte) []byte {
	dst = c.FS.AppendJSON(jsonrpc.AppendKey(append(dst, '{'), "fs"))
	dst = strconv.AppendBool(jsonrpc.AppendKey(dst, "terminal"), c.Terminal)
	dst = appendRaw(dst, "session", c.Session)
	dst = appendRaw(dst, "auth", c.Auth)
	dst = appendRaw(dst, "elicitation", c.Elicitation)
	return appendEnd(dst, c.Meta)
}

// InitializeRequest is the params of initialize.
type InitializeRequest struct {
	ProtocolVersion    uint16
	ClientCapabilities ClientCapabilities
	ClientInfo         *Implementation
	Meta               []byte
}

// DecodeJSON reads r from v.
func (r *InitializeRequest) DecodeJSON(v jsonrpc.Value) error {
	d := decode(v)
	*r = InitializeRequest{
		ProtocolVersion: d.version(), ClientInfo: d.implementation("clientInfo"), Meta: d.meta(),
	}
	capabilities, _ := d.object.Get("clientCapabilities")
	_ = r.ClientCapabilities.DecodeJSON(capabilities) // malformed is none
	return d.err
}

// AppendJSON appends r as JSON.
func (r *InitializeRequest) AppendJSON(dst []byte) []byte {
	dst = appendVersion(append(dst, '{'), r.ProtocolVersion)
	dst = r.ClientCapabilities.AppendJSON(jsonrpc.AppendKey(dst, "clientCapabilities"))
	return appendEnd(appendImplementation(dst, "clientInfo", r.ClientInfo), r.Meta)
}

// InitializeResponse is the result of initialize. What an agent can do is kept
// raw: it is none of a terminal's business.
type InitializeResponse struct {
	ProtocolVersion   uint16
	AgentCapabilities []byte
	AuthMethods       []byte
	AgentInfo         *Implementation
	Meta              []byte
}

// DecodeJSON reads r from v.
func (r *InitializeResponse) DecodeJSON(v jsonrpc.Value) error {
	d := decode(v)
	*r = InitializeResponse{
		ProtocolVersion: d.version(), AgentCapabilities: d.raw("agentCapabilities", jsonrpc.Object),
		AuthMethods: d.raw("authMethods", jsonrpc.Array), AgentInfo: d.implementation("agentInfo"), Meta: d.meta(),
	}
	return d.err
}

// AppendJSON appends r as JSON.
func (r *InitializeResponse) AppendJSON(dst []byte) []byte {
	dst = appendVersion(append(dst, '{'), r.ProtocolVersion)
	dst = appendRaw(dst, "agentCapabilities", r.AgentCapabilities)
	dst = appendRaw(dst, "authMethods", r.AuthMethods)
	return appendEnd(appendImplementation(dst, "agentInfo", r.AgentInfo), r.Meta)
}

func (d *decoder) version() uint16 {
	if _, ok := d.required("protocolVersion"); !ok {
		return 0
	}
	n := d.optionalUint("protocolVersion", math.MaxUint16)
	if n == nil {
		d.fail("protocolVersion", "type")
		return 0
	}
	return uint16(*n)
}

// implementation reads a name that the schema has pass as absent if it is
// malformed.
func (d *decoder) implementation(key string) *Implementation {
	v, ok := d.optional(key)
	if !ok {
		return nil
	}
	i := new(Implementation)
	if i.DecodeJSON(v) != nil {
		return nil
	}
	return i
}

func appendVersion(dst []byte, version uint16) []byte {
	return strconv.AppendUint(jsonrpc.AppendKey(dst, "protocolVersion"), uint64(version), 10)
}

func appendImplementation(dst []byte, key string, i *Implementation) []byte {
	if i == nil {
		return dst
	}
	return i.AppendJSON(jsonrpc.AppendKey(dst, key))
}
