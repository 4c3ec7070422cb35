"""HTTP for Python in Terrarium's sandbox, where WASI has no sockets.

The sandbox's host fetches, from where a person has allowed it, for whoever opens
/dev/http: what is written there is a request, what is read its response, both in
frames that hostwasm/ABI.md describes. This module puts that below `socket`. A Socket
takes the bytes of HTTP/1.1 that http.client writes, and gives the response back as
such. So what is above works as it is: urllib, and packages that use http.client.

A socket is good for one request: the response closes it. Addresses are not looked up
here; the host does so, and follows no redirect. What is no HTTP is an OSError.
"""

import errno
import io
import os
import select
import struct
import time

_HEAD, _DATA, _END, _ERROR = 1, 2, 3, 4  # the kinds of frames
_DEVICE = "/dev/http"
_MAX_HEAD = 64 << 10  # bytes of a request's, as the host takes it
_PIECE = 32 << 10  # bytes of a body that are sent as one frame
# What is about a connection. The one to the server is the host's own.
_OF_CONNECTION = (b"connection", b"keep-alive", b"transfer-encoding")

_socket = None  # the module, once it is there


def install(socket):
    """Has the module `socket` connect by HTTP."""
    global _socket
    _socket = socket
    socket.getaddrinfo = getaddrinfo
    socket.socket = Socket


def getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):
    """Returns the name itself as the only address: the host looks it up."""
    if type not in (0, _socket.SOCK_STREAM):
        raise _socket.gaierror(_socket.EAI_SOCKTYPE, "there is nothing but HTTP in this sandbox")
    if isinstance(port, (str, bytes)):
        named = {"http": 80, "https": 443}
        text = port if isinstance(port, str) else port.decode("ascii", "replace")
        port = int(text) if text.isdecimal() else named.get(text)
    if isinstance(host, bytes):
        host = host.decode("ascii")
    address = (host or "localhost", port or 0)
    return [(family or _socket.AF_INET, _socket.SOCK_STREAM, _socket.IPPROTO_TCP, "", address)]


class Socket:
    """What socket.socket() makes: it can connect, send one request and receive its response."""

    _scheme = "http"

    def __init__(self, family=-1, type=-1, proto=-1, fileno=None):
        self._exchange = None
        if fileno is not None or type not in (-1, _socket.SOCK_STREAM):
            raise _unsupported()
        self.family = _socket.AF_INET if family == -1 else family
        self.type = _socket.SOCK_STREAM
        self.proto = 0 if proto == -1 else proto
        self._timeout = _socket.getdefaulttimeout()
        self._peer = None
        self._closed = False
        self._files = 0  # that makefile has made, and that are open

    def connect(self, address):
        if self._exchange is not None:
            raise OSError(errno.EISCONN, os.strerror(errno.EISCONN))
        self._peer = tuple(address[:2])
        try:
            self._exchange = _Exchange()
        except FileNotFoundError:
            raise OSError(
                errno.ENETUNREACH,
                "there is no network in this sandbox: ask for terrarium's --net " + self._asked(),
            ) from None
        except BlockingIOError:
            raise OSError(errno.EBUSY, "too many requests at once: close some of them") from None
        self._request = _Request(self._exchange, self._url)

    def connect_ex(self, address):
        try:
            self.connect(address)
        except OSError as e:
            return e.errno
        return 0

    def sendall(self, data, flags=0):
        exchange = self._opened()
        exchange.begin_waiting(self._timeout)
        if not self._request.feed(bytes(data)):
            return
        # Whoever sends expects to hear there already that a server can't be reached.
        exchange.receive_head()

    def send(self, data, flags=0):
        self.sendall(data, flags)
        return memoryview(data).nbytes

    def recv(self, size, flags=0):
        exchange = self._opened()
        if not self._request.begun:
            raise _unsupported()  # a protocol in which the server speaks first
        exchange.begin_waiting(self._timeout)
        return exchange.read(size, keep=bool(flags & getattr(_socket, "MSG_PEEK", 0)))

    def recv_into(self, buffer, nbytes=0, flags=0):
        view = memoryview(buffer).cast("B")
        data = self.recv(nbytes or len(view), flags)
        view[: len(data)] = data
        return len(data)

    def makefile(self, mode="r", buffering=None, *, encoding=None, errors=None, newline=None):
        if not set(mode) <= set("rwb"):
            raise ValueError("invalid mode %r (only r, w, b allowed)" % mode)
        raw = _SocketFile(self, "r" in mode or "w" not in mode, "w" in mode)
        self._files += 1
        if buffering == 0:
            return raw
        size = io.DEFAULT_BUFFER_SIZE if buffering is None or buffering < 0 else buffering
        if raw.readable() and raw.writable():
            buffered = io.BufferedRWPair(raw, raw, size)
        elif raw.writable():
            buffered = io.BufferedWriter(raw, size)
        else:
            buffered = io.BufferedReader(raw, size)
        if "b" in mode:
            return buffered
        return io.TextIOWrapper(buffered, encoding, errors, newline)

    def close(self):
        """Ends the request, once the files that makefile has made are closed as well."""
        self._closed = True
        if self._files == 0 and self._exchange is not None:
            self._exchange.close()
            self._exchange = None

    def detach(self):
        raise _unsupported()

    def shutdown(self, how):
        self._opened()

    def settimeout(self, value):
        self._timeout = None if value is None else float(value)

    def gettimeout(self):
        return self._timeout

    def setblocking(self, flag):
        self._timeout = None if flag else 0.0

    def getblocking(self):
        return self._timeout != 0

    timeout = property(gettimeout)

    def setsockopt(self, *args):
        """Does nothing: the connection to the server is not in our hands."""

    def getsockopt(self, level, option, size=0):
        return b"" if size else 0

    def getpeername(self):
        if self._peer is None:
            raise OSError(errno.ENOTCONN, os.strerror(errno.ENOTCONN))
        return self._peer

    def getsockname(self):
        return ("0.0.0.0", 0)

    def fileno(self):
        return -1 if self._exchange is None else self._exchange.fd

    def bind(self, *args):
        raise _unsupported()

    listen = accept = sendto = recvfrom = recvfrom_into = dup = bind

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __del__(self):
        if self._exchange is not None:
            self._exchange.close()

    def _opened(self):
        if self._exchange is None:
            number = errno.EBADF if self._closed else errno.ENOTCONN
            raise OSError(number, os.strerror(number))
        return self._exchange

    def _file_closed(self):
        self._files -= 1
        if self._closed:
            self.close()

    def _asked(self):
        """Returns what is connected to, as a URL names it, and --net."""
        host, port = self._peer
        host = host.encode("ascii" if host.isascii() else "idna").decode("ascii")
        if ":" in host:
            host = "[" + host + "]"
        if port == {"http": 80, "https": 443}[self._scheme]:
            return host
        return "%s:%d" % (host, port)

    def _url(self, target):
        return self._scheme + "://" + self._asked() + target


class _SocketFile(io.RawIOBase):
    """What makefile makes, without its buffer."""

    def __init__(self, socket, reads, writes):
        self._socket, self._reads, self._writes = socket, reads, writes

    def readable(self):
        return self._reads

    def writable(self):
        return self._writes

    def readinto(self, buffer):
        return self._socket.recv_into(buffer)

    def write(self, data):
        return self._socket.send(data)

    def fileno(self):
        return self._socket.fileno()

    def close(self):
        if not self.closed:
            super().close()
            self._socket._file_closed()


class _Request:
    """Makes frames of a request that comes as bytes of HTTP/1.1 (RFC 9112)."""

    def __init__(self, exchange, url):
        self._exchange, self._url = exchange, url
        self._waiting = b""  # what came of a line, or of the header
        self._left = None  # of the body, or of a chunk; None while the header comes
        self._chunked = False
        self._trailer = False  # the last chunk was there
        self.begun = False
        self._done = False

    def feed(self, data):
        """Sends what data has of the request, and reports whether that was its end."""
        if self._done and data:
            raise BrokenPipeError(errno.EPIPE, "a connection takes one request in this sandbox")
        self.begun = self.begun or bool(data)
        self._waiting += data
        if self._left is None and not self._head():
            return False
        while not self._done:
            if self._left > 0:
                part, self._waiting = self._waiting[: self._left], self._waiting[self._left :]
                if not part:
                    return False
                self._left -= len(part)
                for at in range(0, len(part), _PIECE):
                    self._exchange.write(_DATA, part[at : at + _PIECE])
                if self._left > 0 or not self._chunked:
                    continue
            if not self._chunked:
                self._finish()
            elif not self._chunk():
                return False
        return True

    def _head(self):
        head, end, rest = self._waiting.partition(b"\r\n\r\n")
        if len(head) > _MAX_HEAD:
            raise OSError(errno.EMSGSIZE, "a request's header of more than %d bytes" % _MAX_HEAD)
        if not end:
            return False
        first, *lines = head.split(b"\r\n")
        words = first.split(b" ")
        if len(words) != 3 or not words[2].startswith(b"HTTP/1."):
            raise _unsupported()
        method, target = words[0].decode("ascii"), words[1].decode("ascii")
        if not target.startswith("/"):
            raise OSError(errno.ENOTSUP, "a proxy can't be used in this sandbox: its host connects to the server itself")
        self._waiting, self._left = rest, 0
        fields, ends = [], False
        for line in lines:
            name, _, value = line.partition(b":")
            name = name.strip().lower()
            if name == b"transfer-encoding":
                self._chunked = value.strip().lower() == b"chunked"
            elif name == b"content-length":
                self._left = int(value)
            elif name not in _OF_CONNECTION:
                fields.append(line)
        if self._chunked:
            self._left = 0
        else:
            fields.append(b"Content-Length: %d" % self._left)
        text = ("%s %s" % (method, self._url(target))).encode("ascii")
        self._exchange.write(_HEAD, b"\n".join([text, *fields]))
        if not self._chunked and self._left == 0:
            self._done = True  # the host expects no end of a body either
        return True

    def _chunk(self):
        """Reads the line that a chunk begins with, or ends with, if it is there."""
        line, end, rest = self._waiting.partition(b"\r\n")
        if not end:
            return False
        self._waiting = rest
        if self._trailer:
            if not line:
                self._finish()
        elif line:
            self._left = int(line.split(b";")[0], 16)
            self._trailer = self._left == 0
        return True

    def _finish(self):
        self._exchange.write(_END, b"")
        self._done = True


class _Exchange:
    """An opened /dev/http: the frames of one request and of its response."""

    def __init__(self):
        self.fd = os.open(_DEVICE, os.O_RDWR | os.O_NONBLOCK)
        self._came = bytearray()  # and is no whole frame yet
        self._text = b""  # of the response, and not read yet
        self._headed = self._ended = False
        self._gone = False  # the host takes no more of the request
        self._until = None

    def close(self):
        fd, self.fd = self.fd, -1
        if fd >= 0:
            os.close(fd)

    def begin_waiting(self, timeout):
        """Has all that follows take at most so many seconds, or as long as it takes."""
        self._until = None if timeout is None else time.monotonic() + timeout

    def write(self, kind, data):
        left = memoryview(struct.pack("<II", kind, len(data)) + data)
        while left and not self._gone:
            try:
                left = left[os.write(self.fd, left) :]
            except BlockingIOError:
                self._wait(select.POLLOUT)
            except BrokenPipeError:
                self._gone = True  # and has answered: that is to be read

    def read(self, size, keep=False):
        """Returns at most size bytes of the response, none at its end."""
        self.receive_head()
        while not self._text and not self._ended:
            kind, data = self._frame()
            if kind == _DATA:
                self._text = data
            self._ended = kind == _END
        data = self._text[:size]
        if not keep:
            self._text = self._text[size:]
        return data

    def receive_head(self):
        if self._headed:
            return
        kind, data = self._frame()
        if kind != _HEAD:
            raise ConnectionResetError(errno.ECONNRESET, "the sandbox's host sends a response without a header")
        status, *fields = data.split(b"\n")
        lines = [b"HTTP/1.1 " + status]
        for line in fields:
            if line.partition(b":")[0].lower() not in _OF_CONNECTION:
                lines.append(line)
        self._text = b"\r\n".join([*lines, b"Connection: close", b"", b""])
        self._headed = True

    def _frame(self):
        """Returns the next frame of the response. The host's errors are raised."""
        self._fill(8)
        kind, size = struct.unpack("<II", self._came[:8])
        self._fill(8 + size)
        data = bytes(self._came[8 : 8 + size])
        del self._came[: 8 + size]
        if kind == _ERROR:
            self._ended = self._headed = True
            raise _error(data)
        return kind, data

    def _fill(self, size):
        while len(self._came) < size:
            try:
                data = os.read(self.fd, 64 << 10)
            except BlockingIOError:
                self._wait(select.POLLIN)
                continue
            if not data:
                raise ConnectionResetError(errno.ECONNRESET, "the sandbox's host has ended the response too soon")
            self._came += data

    def _wait(self, event):
        poll = select.poll()
        poll.register(self.fd, event)
        if self._until is None:
            poll.poll()
            return
        left = self._until - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            raise TimeoutError("timed out")


def _unsupported():
    return OSError(errno.ENOTSUP, "there are no sockets in this sandbox: a client of HTTP is all that works")


def _error(data):
    """Returns what the frame of an error says, as Python says it of sockets."""
    code, text = struct.unpack("<I", data[:4])[0], data[4:].decode("utf-8", "replace")
    if code == 2:
        return PermissionError(errno.EACCES, text)
    if code == 3:
        return _socket.gaierror(_socket.EAI_NONAME, text)
    if code == 4:
        return ConnectionRefusedError(errno.ECONNREFUSED, text)
    if code == 5:
        import ssl

        return ssl.SSLCertVerificationError(1, text)
    if code == 6:
        return TimeoutError(errno.ETIMEDOUT, text)
    numbers = {1: errno.EINVAL, 7: errno.EFBIG, 9: errno.EBUSY}
    return OSError(numbers.get(code, errno.ECONNRESET), text)
