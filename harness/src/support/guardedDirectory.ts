import { mkdtempSync } from 'node:fs'
import path from 'node:path'
import { EndGuard } from './endGuard.ts'

/** A killed process may create a file while the directory is being removed. */
const SCRIPT = `
pids=
while read -r line; do
  case $line in
    -*) others=; for pid in $pids; do [ "-$pid" = "$line" ] || others="$others $pid"; done; pids=$others ;;
    *) pids="$pids $line" ;;
  esac
done
[ -n "$pids" ] && kill -KILL $pids
tries=0
until rm -rf "$1" || [ $tries -ge 400 ]; do sleep 0.05; tries=$((tries + 1)); done
`

/**
 * A fresh directory that is removed with this process, even if it is killed, together with the processes that
 * work in it. It may hold gigabytes, so another process removes it.
 */
export class GuardedDirectory {
  readonly path: string
  readonly #guard: EndGuard

  constructor(parent: string) {
    this.path = mkdtempSync(path.join(parent, 'posthorn-'))
    this.#guard = new EndGuard(SCRIPT, this.path)
  }

  /** Kills a process when this one ends. */
  watch(pid: number, ended: Promise<unknown>): void {
    this.#guard.watch(pid, ended)
  }

  /** Kills watched processes that still run, and removes the directory. */
  remove(): Promise<void> {
    return this.#guard.release()
  }
}
