package acp

import "github.com/terrarium-dev/terrarium/core/jsonrpc"

// MethodCancelRequest cancels a request of the side that sends it.
//
// https://agentclientprotocol.com/protocol/cancellation
const MethodCancelRequest = "$/cancel_request"

// CancelRequestNotification is the params of $/cancel_request.
type CancelRequestNotification struct {
	RequestID jsonrpc.ID
	Meta      []byte
}

// DecodeJSON reads n from v.
func (n *CancelRequestNotification) DecodeJSON(v jsonrpc.Value) error {
	d := decode(v)
	*n = CancelRequestNotification{Meta: d.meta()}
	if id, ok := d.required("requestId"); ok {
		if n.RequestID, ok = jsonrpc.ParseID(id); !ok {
			d.fail("requestId", "type")
		}
	}
	return d.err
}

// AppendJSON appends n as JSON.
func (n *CancelRequestNotification) AppendJSON(dst []byte) []byte {
	dst = append(jsonrpc.AppendKey(append(dst, '{'), "requestId"), n.RequestID.String()...)
	return appendEnd(dst, n.Meta)
}
