import { EndGuard } from '../support/endGuard.ts'

/**
 * Waits for the end of its input, which comes whenever the guarded process ends. It then removes every
 * namespace and link with the given prefix, and ends the programs in them.
 */
const SCRIPT = `
while read -r line; do :; done
for name in $(ip netns list | cut -d ' ' -f 1 | grep "^$1"); do
  for pid in $(ip netns pids "$name"); do kill -KILL "$pid"; done
  ip netns del "$name"
done
for name in $(ip -o link | cut -d ' ' -f 2 | cut -d @ -f 1 | cut -d : -f 1 | grep "^$1"); do
  ip link del "$name"
done
`

/** Ensures that no namespace or link is left after this process. */
export class NamespaceGuard extends EndGuard {
  /** @param prefix of their names */
  constructor(prefix: string) {
    super(SCRIPT, prefix)
  }
}
