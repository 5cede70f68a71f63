import { EndGuard } from '../support/endGuard.ts'

/**
 * Waits for the end of its input, which comes when the guarded process ends, however that happens; then removes every
 * namespace and link whose name begins as it is told, and ends what runs in there.
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

/** Sees to it that nothing is left of namespaces and links after this process. */
export class NamespaceGuard extends EndGuard {
  /** @param prefix of their names */
  constructor(prefix: string) {
    super(SCRIPT, prefix)
  }
}
