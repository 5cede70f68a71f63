import { EndGuard } from '../support/endGuard.ts'

/**
 * One process runs at a time. When the input ends, a running one is stopped, which is complete when
 * PostgreSQL's pid file is gone. A killed server leaves the file, and a shared memory segment whose id is in
 * line 7. Its backends end a little later, and may create a file while the directory is being removed.
 */
const SCRIPT = `
pid=
while read -r line; do case $line in -*) pid= ;; *) pid=$line ;; esac; done
lock=$1/data/postmaster.pid
tries=0
if [ -n "$pid" ] && kill -QUIT "$pid"; then
  while [ -e "$lock" ] && [ $tries -lt 200 ]; do sleep 0.05; tries=$((tries + 1)); done
  [ -e "$lock" ] && kill -KILL "$pid"
fi
if [ -e "$lock" ]; then
  segment=$(sed -n 7p "$lock" | awk '{ print $2 }')
  [ -n "$segment" ] && ipcrm -m "$segment"
fi
until rm -rf "$1" || [ $tries -ge 400 ]; do sleep 0.05; tries=$((tries + 1)); done
`

/**
 * Ensures that a server and its directory are gone after this process, even if it is killed. It runs as the
 * user who created the directory: the server's account may not remove it from its parent.
 */
export class DirectoryGuard extends EndGuard {
  constructor(directory: string) {
    super(SCRIPT, directory)
  }
}
