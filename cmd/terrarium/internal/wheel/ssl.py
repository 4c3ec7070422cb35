"""TLS for Python in Terrarium's sandbox: the sandbox's host speaks it.

The host checks certificates, by those that its system trusts, and nobody can have that
left out or changed. So a context can be asked for anything that clients usually ask for,
and only what can't be had is an error: certificates of one's own, and being a server.
"""

import enum
import errno

import terrarium_http


class SSLError(OSError):
    reason = library = None


class SSLZeroReturnError(SSLError):
    pass


class SSLWantReadError(SSLError):
    pass


class SSLWantWriteError(SSLError):
    pass


class SSLSyscallError(SSLError):
    pass


class SSLEOFError(SSLError):
    pass


class SSLCertVerificationError(SSLError, ValueError):
    verify_code, verify_message = 1, "the sandbox's host does not trust the certificate"


CertificateError = SSLCertVerificationError


class VerifyMode(enum.IntEnum):
    CERT_NONE = 0
    CERT_OPTIONAL = 1
    CERT_REQUIRED = 2


class TLSVersion(enum.IntEnum):
    MINIMUM_SUPPORTED = -2
    SSLv3 = 768
    TLSv1 = 769
    TLSv1_1 = 770
    TLSv1_2 = 771
    TLSv1_3 = 772
    MAXIMUM_SUPPORTED = -1


class Purpose(enum.Enum):
    SERVER_AUTH = "1.3.6.1.5.5.7.3.1"
    CLIENT_AUTH = "1.3.6.1.5.5.7.3.2"


CERT_NONE, CERT_OPTIONAL, CERT_REQUIRED = VerifyMode
PROTOCOL_TLS = PROTOCOL_SSLv23 = 2
PROTOCOL_TLS_CLIENT, PROTOCOL_TLS_SERVER = 16, 17
PROTOCOL_TLSv1, PROTOCOL_TLSv1_1, PROTOCOL_TLSv1_2 = 3, 4, 5
OP_ALL = 0x80000050
OP_NO_SSLv2, OP_NO_SSLv3 = 0, 0x2000000
OP_NO_TLSv1, OP_NO_TLSv1_1, OP_NO_TLSv1_2, OP_NO_TLSv1_3 = 0x4000000, 0x10000000, 0x8000000, 0x20000000
OP_NO_COMPRESSION, OP_NO_TICKET, OP_NO_RENEGOTIATION = 0x20000, 0x4000, 0x40000000
OP_SINGLE_DH_USE, OP_SINGLE_ECDH_USE, OP_CIPHER_SERVER_PREFERENCE = 0, 0, 0x400000
OP_IGNORE_UNEXPECTED_EOF, OP_ENABLE_MIDDLEBOX_COMPAT = 0x80, 0x100000
VERIFY_DEFAULT, VERIFY_X509_STRICT, VERIFY_X509_TRUSTED_FIRST, VERIFY_X509_PARTIAL_CHAIN = 0, 0x20, 0x8000, 0x80000
HAS_SNI = HAS_ECDH = HAS_NEVER_CHECK_COMMON_NAME = HAS_TLSv1_2 = HAS_TLSv1_3 = True
HAS_ALPN = HAS_NPN = HAS_SSLv2 = HAS_SSLv3 = HAS_TLSv1 = HAS_TLSv1_1 = False
# Packages ask for 1.1.1 at least. What speaks TLS is none of OpenSSL's.
OPENSSL_VERSION, OPENSSL_VERSION_NUMBER = "OpenSSL 3.0.0 (none: Terrarium's host speaks TLS)", 0x30000000
OPENSSL_VERSION_INFO = (3, 0, 0, 0, 0)


class SSLContext:
    """What a connection is asked for. The host has its own answers to most of it."""

    def __init__(self, protocol=PROTOCOL_TLS):
        self.protocol = protocol
        self.verify_mode = CERT_REQUIRED if protocol == PROTOCOL_TLS_CLIENT else CERT_NONE
        self.check_hostname = protocol == PROTOCOL_TLS_CLIENT
        self.options, self.verify_flags = OP_ALL, VERIFY_DEFAULT
        self.minimum_version, self.maximum_version = TLSVersion.TLSv1_2, TLSVersion.MAXIMUM_SUPPORTED
        self.post_handshake_auth = self.keylog_filename = self.sni_callback = None
        self.hostname_checks_common_name = False

    def wrap_socket(
        self,
        sock,
        server_side=False,
        do_handshake_on_connect=True,
        suppress_ragged_eofs=True,
        server_hostname=None,
        session=None,
    ):
        if server_side or not isinstance(sock, terrarium_http.Socket):
            raise OSError(errno.ENOTSUP, "only a client's socket can speak TLS in this sandbox")
        return SSLSocket(sock, self, server_hostname)

    def wrap_bio(self, *args, **kwargs):
        raise OSError(errno.ENOTSUP, "TLS can't be had apart from a socket in this sandbox")

    def load_cert_chain(self, certfile, keyfile=None, password=None):
        raise SSLError(errno.ENOTSUP, "a certificate of one's own can't be used in this sandbox")

    def load_default_certs(self, purpose=Purpose.SERVER_AUTH):
        """Does nothing, as what else is about certificates: the host trusts what it trusts."""

    def load_verify_locations(self, cafile=None, capath=None, cadata=None):
        pass

    def set_default_verify_paths(self):
        pass

    def set_ciphers(self, ciphers):
        pass

    def set_alpn_protocols(self, protocols):
        pass

    def get_ciphers(self):
        return []

    def get_ca_certs(self, binary_form=False):
        return []

    def cert_store_stats(self):
        return {"x509": 0, "crl": 0, "x509_ca": 0}


class SSLSocket(terrarium_http.Socket):
    """A socket whose request goes to https. It takes over the one that it is made of."""

    _scheme = "https"

    def __init__(self, sock, context, server_hostname):
        peer = sock._peer and sock._peer[0]
        if server_hostname and peer and server_hostname.rstrip(".").lower() != peer.rstrip(".").lower():
            raise SSLError(errno.ENOTSUP, "the name of a certificate is the server's own in this sandbox")
        self.__dict__.update(sock.__dict__)
        sock._exchange = None
        self.context, self.server_hostname = context, server_hostname
        if self._exchange is not None:
            self._request = terrarium_http._Request(self._exchange, self._url)

    def do_handshake(self, block=False):
        pass

    def unwrap(self):
        return self

    def getpeercert(self, binary_form=False):
        """Returns the server's name as a certificate has it: no request goes where it is not."""
        if binary_form:
            return b""
        name = self._peer[0]
        is_address = ":" in name or name.replace(".", "").isdigit()
        kind = "IP Address" if is_address else "DNS"
        return {"subject": ((("commonName", name),),), "subjectAltName": ((kind, name),)}

    def cipher(self):
        return None

    def version(self):
        return "TLSv1.3"

    def selected_alpn_protocol(self):
        return None

    selected_npn_protocol = compression = cipher


def create_default_context(purpose=Purpose.SERVER_AUTH, *, cafile=None, capath=None, cadata=None):
    return SSLContext(PROTOCOL_TLS_CLIENT if purpose == Purpose.SERVER_AUTH else PROTOCOL_TLS_SERVER)


def _create_unverified_context(protocol=PROTOCOL_TLS_CLIENT, **asked):
    """Returns a context like all: certificates are checked, whoever asks."""
    return SSLContext(protocol)


_create_default_https_context = create_default_context
_create_stdlib_context = _create_unverified_context


def get_default_verify_paths():
    raise OSError(errno.ENOTSUP, "the sandbox's host has the certificates, and hands none over")
