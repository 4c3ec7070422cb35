package jsonrpc

import "strconv"

// The functions here append one message as one line. Where a value is large, a
// Head writes what comes before it, the caller appends the value, which has no
// raw line break, and AppendTail ends the line:
//
//	dst = jsonrpc.AppendResponseHead(dst, id)
//	dst = result.Append(dst)
//	dst = jsonrpc.AppendTail(dst)

const head = `{"jsonrpc":"2.0",`

// AppendRequest appends a request. params is a JSON object or array, or nil
// for none.
func AppendRequest(dst []byte, id ID, method string, params []byte) []byte {
	return appendParams(appendRequest(dst, id, method), params)
}

// AppendRequestHead appends a request up to its params.
func AppendRequestHead(dst []byte, id ID, method string) []byte {
	return AppendKey(appendRequest(dst, id, method), "params")
}

func appendRequest(dst []byte, id ID, method string) []byte {
	dst = appendID(append(dst, head...), id)
	return AppendString(AppendKey(dst, "method"), method)
}

// AppendNotification appends a notification. params is a JSON object or array,
// or nil for none.
func AppendNotification(dst []byte, method string, params []byte) []byte {
	return appendParams(appendNotification(dst, method), params)
}

// AppendNotificationHead appends a notification up to its params.
func AppendNotificationHead(dst []byte, method string) []byte {
	return AppendKey(appendNotification(dst, method), "params")
}

func appendNotification(dst []byte, method string) []byte {
	dst = append(dst, head...)
	return AppendString(append(dst, `"method":`...), method)
}

func appendParams(dst, params []byte) []byte {
	if len(params) > 0 {
		dst = AppendRaw(AppendKey(dst, "params"), params)
	}
	return AppendTail(dst)
}

// AppendResponse appends the response to the request id. result is a JSON
// value; nil is null.
func AppendResponse(dst []byte, id ID, result []byte) []byte {
	return AppendTail(AppendRaw(AppendResponseHead(dst, id), result))
}

// AppendResponseHead appends a response up to its result.
func AppendResponseHead(dst []byte, id ID) []byte {
	return AppendKey(appendID(append(dst, head...), id), "result")
}

// AppendError appends the response that says why the request id failed. The id
// is null if it is not known.
func AppendError(dst []byte, id ID, e *Error) []byte {
	dst = AppendKey(appendID(append(dst, head...), id), "error")
	dst = append(dst, `{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.Code), 10)
	dst = AppendString(AppendKey(dst, "message"), e.Message)
	if len(e.Data) > 0 {
		dst = AppendRaw(AppendKey(dst, "data"), e.Data)
	}
	return AppendTail(append(dst, '}'))
}

// AppendTail ends the message that a Head began, and its line.
func AppendTail(dst []byte) []byte { return append(dst, "}\n"...) }

func appendID(dst []byte, id ID) []byte {
	dst = append(dst, `"id":`...)
	return append(dst, id.String()...)
}
