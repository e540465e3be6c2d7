# Sourced: certificates and ports for servers of the tests, which listen on the loopback.

# Writes ca.pem, and server.pem with server.key for 127.0.0.1, signed by that authority, into a directory.
make_certificates() (
  cd "$1"
  {
    openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj '/CN=recto-test'
    openssl req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj '/CN=127.0.0.1'
    openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out server.pem -days 2 \
      -extfile <(echo 'subjectAltName=IP:127.0.0.1')
  } >openssl.log 2>&1 || { cat openssl.log >&2; return 1; }
)

# A port of the loopback that was free a moment ago.
spare_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
