package challenge

import (
	"strconv"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// AppendJSON appends r as a JSON object, as "terrarium parse" prints it. From a
// Strict parser, what terminus-2 hands on as it is in the answer, whatever its
// type, is so here too: JSON can escape half a surrogate pair, which the fields
// of r can't hold. Numbers that are not finite are strings.
func (r Result) AppendJSON(dst []byte) []byte {
	strict := r.Skipped == nil
	dst = append(jsonrpc.AppendKey(append(dst, '{'), "commands"), '[')
	for _, c := range r.Commands {
		dst = append(jsonrpc.AppendComma(dst), '{')
		dst = appendText(jsonrpc.AppendKey(dst, "keystrokes"), c.Keystrokes, c.raw)
		dst = append(appendFloat(jsonrpc.AppendKey(dst, "duration"), c.Duration), '}')
	}
	dst = append(dst, ']')

	dst = jsonrpc.AppendKey(dst, "is_task_complete")
	if strict && r.rawComplete.exists() {
		dst = r.rawComplete.append(dst)
	} else {
		dst = strconv.AppendBool(dst, r.Complete)
	}
	dst = jsonrpc.AppendString(jsonrpc.AppendKey(dst, "error"), r.Error)
	dst = jsonrpc.AppendString(jsonrpc.AppendKey(dst, "warning"), r.Warning)
	dst = appendText(jsonrpc.AppendKey(dst, "analysis"), r.Analysis, r.rawAnalysis)
	dst = appendText(jsonrpc.AppendKey(dst, "plan"), r.Plan, r.rawPlan)

	if !strict {
		dst = append(jsonrpc.AppendKey(dst, "skipped"), '[')
		for _, n := range r.Skipped {
			dst = strconv.AppendInt(jsonrpc.AppendComma(dst), int64(n), 10)
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// appendText appends raw, or text if there is none.
func appendText(dst []byte, text string, raw value) []byte {
	if raw.exists() {
		return raw.append(dst)
	}
	return jsonrpc.AppendString(dst, text)
}
