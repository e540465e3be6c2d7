# Sourced: starts and stops a private PostgreSQL, and says where it is in RECTO_TEST_POSTGRES.

work=''

# Where Debian keeps the server's programs, which are on nobody's PATH.
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

# It listens on a socket in a directory of its own, and nowhere else: no port to find, nobody else to let in.
start_postgres() {
  local bin
  bin=$(postgres_bin)
  # Not in $TMPDIR: a socket's path has room for about a hundred characters.
  work=$(mktemp -d /tmp/recto-test.XXXXXX)
  if ((EUID == 0)); then chown postgres "$work"; fi
  as_postgres "$bin/initdb" --pgdata="$work/data" --username=postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8 \
    --no-sync >"$work/initdb.log" || { cat "$work/initdb.log"; return 1; }
  # No --no-sync here: that a commit waits for the disk is part of what is tested.
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
