import type { ChildProcess } from 'node:child_process'
import type { EventEmitter } from 'node:events'

const living = new Set<ChildProcess>()

process.once('exit', () => {
  for (const child of living) child.kill('SIGKILL')
})

/** Ensures that a child does not outlive this process. */
export function killAtExit<C extends ChildProcess>(child: C): C {
  living.add(child)
  // On its base, since `once` of a child is overloaded by kind of child.
  ;(child as EventEmitter).once('exit', () => living.delete(child))
  return child
}

/** A signal ends a process without its exit handlers, which would leave children behind. */
export function exitOnSignals(): void {
  process.once('SIGHUP', () => process.exit(129))
  process.once('SIGINT', () => process.exit(130))
  process.once('SIGTERM', () => process.exit(143))
}
