# Sourced: starts and stops a private PostgreSQL, and sets its address in RECTO_TEST_POSTGRES. Over TCP it is at
# RECTO_TEST_POSTGRES_TLS, with a certificate of the authority in RECTO_TEST_POSTGRES_CA.

. "$(dirname "${BASH_SOURCE[0]}")/loopback.sh"

readonly POSTGRES_PASSWORD=the-secret-of-the-tests
work=''

# The directory of the server's programs on Debian, which is not in the PATH.
postgres_bin() {
  if [[ -n ${RECTO_TEST_POSTGRES_BIN-} ]]; then
    echo "$RECTO_TEST_POSTGRES_BIN"
    return
  fi
  local bin newest=''
  for bin in /usr/lib/postgresql/*/bin; do
    [[ -x $bin/initdb && -x $bin/pg_ctl ]] && newest=$bin
  done
  echo "$newest"
}

# PostgreSQL refuses to be run by root.
as_postgres() {
  if ((EUID == 0)); then runuser -u postgres -- "$@"; else "$@"; fi
}

# Where tests have their databases: in memory if there is space. On a disk, most of the time of a short test is spent on
# creating and deleting the hundred files of its schema. A killed server loses nothing in memory, either.
memory_or_disk() {
  local free
  free=$(df --output=avail --block-size=1G /dev/shm 2>/dev/null | tail -n 1)
  if ((${free:-0} >= 8)); then echo /dev/shm; else echo /tmp; fi
}

# On a socket in its own directory, where no other user can connect, and, with TLS and a password, on a port of the
# loopback. Its files are in a new directory of $1, or of /tmp.
start_postgres() {
  local bin port
  bin=$(postgres_bin)
  # Not in $TMPDIR: a socket's path is limited to about a hundred characters.
  work=$(mktemp -d "${1-/tmp}/recto-test.XXXXXX")
  echo "$POSTGRES_PASSWORD" >"$work/password"
  make_certificates "$work"
  if ((EUID == 0)); then chown -R postgres "$work"; fi
  as_postgres "$bin/initdb" --pgdata="$work/data" --username=postgres --auth-local=trust --auth-host=scram-sha-256 \
    --pwfile="$work/password" --encoding=UTF8 --locale=C.UTF-8 --no-sync >"$work/initdb.log" ||
    { cat "$work/initdb.log"; return 1; }
  # Another process may take the port before PostgreSQL does.
  for _ in 1 2 3; do
    port=$(spare_port)
    if start_postgres_at "$bin" "$port"; then
      export RECTO_TEST_POSTGRES="postgres://postgres@${work//\//%2F}:$port/postgres"
      export RECTO_TEST_POSTGRES_TLS="postgres://postgres:$POSTGRES_PASSWORD@127.0.0.1:$port/postgres"
      export RECTO_TEST_POSTGRES_CA=$work/ca.pem
      return
    fi
  done
  as_postgres cat "$work/data/log"
  return 1
}

# As it is run in production: commits are synced, which takes no time in memory.
start_postgres_at() {
  as_postgres "$1/pg_ctl" start --pgdata="$work/data" --log="$work/data/log" --silent --wait \
    --options="-c listen_addresses=127.0.0.1 -c port=$2 -c unix_socket_directories='$work' -c max_connections=300 \
      -c ssl=on -c ssl_cert_file='$work/server.pem' -c ssl_key_file='$work/server.key'"
}

stop_postgres() {
  [[ -n $work ]] || return 0
  if [[ -e $work/data/postmaster.pid ]]; then
    as_postgres "$(postgres_bin)/pg_ctl" stop --pgdata="$work/data" --mode=immediate --silent || true
  fi
  rm -rf "$work"
}
