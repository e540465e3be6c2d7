# Sourced: starts and stops a private PostgreSQL, and sets its address in RECTO_TEST_POSTGRES.

work=''

# The directory of the server's programs on Debian, which is not in the PATH.
postgres_bin() {
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

# It listens only on a socket in its own directory, so it needs no free port, and no other user can connect.
start_postgres() {
  local bin
  bin=$(postgres_bin)
  # Not in $TMPDIR: a socket's path is limited to about a hundred characters.
  work=$(mktemp -d /tmp/recto-test.XXXXXX)
  if ((EUID == 0)); then chown postgres "$work"; fi
  as_postgres "$bin/initdb" --pgdata="$work/data" --username=postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8 \
    --no-sync >"$work/initdb.log" || { cat "$work/initdb.log"; return 1; }
  # Without --no-sync: that a commit waits for the disk is part of the tests.
  as_postgres "$bin/pg_ctl" start --pgdata="$work/data" --log="$work/data/log" --silent --wait \
    --options="-c listen_addresses='' -c unix_socket_directories='$work' -c max_connections=300" ||
    { as_postgres cat "$work/data/log"; return 1; }
  export RECTO_TEST_POSTGRES="postgres://postgres@${work//\//%2F}/postgres"
}

stop_postgres() {
  [[ -n $work ]] || return 0
  if [[ -e $work/data/postmaster.pid ]]; then
    as_postgres "$(postgres_bin)/pg_ctl" stop --pgdata="$work/data" --mode=immediate --silent || true
  fi
  rm -rf "$work"
}
