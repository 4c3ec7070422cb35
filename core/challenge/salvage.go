package challenge

import "strings"

// Salvage returns the whole response at the beginning of an XML answer that
// was cut off because it grew too long, or false. A response with an error is
// not worth it, nor one with several blocks of commands, which repeated says.
// JSON can't be salvaged: its end is at the end.
func (p Parser) Salvage(partial string) (response string, repeated, ok bool) {
	if p.Format != XML {
		return "", false, false
	}
	_, afterCommands, found := strings.Cut(partial, "</commands>")
	if !found {
		return "", false, false
	}
	_, rest, found := strings.Cut(afterCommands, "</response>")
	if !found {
		return "", false, false
	}
	response = partial[:len(partial)-len(rest)]
	r := p.Parse(response)
	warning := strings.ToLower(r.Warning)
	repeated = strings.Contains(warning, "only issue one") && strings.Contains(warning, "block at a time")
	if r.Error != "" || repeated {
		return "", repeated, false
	}
	return response, false, true
}
