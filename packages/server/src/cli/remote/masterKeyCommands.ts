import type { Command } from 'commander'
import { countOf, numberOf } from '../words.ts'
import { byAdmin, print } from './byAdmin.ts'

interface MasterKey {
  readonly id: string
  readonly current: boolean
  readonly signing_secrets: number
  readonly short_lived: number
  readonly removable: boolean
}

interface MasterKeys {
  readonly data: readonly MasterKey[]
  readonly nodes: readonly { readonly id: number; readonly master_keys: readonly string[] | null }[]
}

export function addMasterKeyCommands(masterKey: Command): void {
  const status = masterKey
    .command('status')
    .description('Show which master keys are in use, and what to do next')
    .option('--json', 'print the response of GET /admin/v1/master-keys')
  byAdmin(status, (admin) => async ({ json }) => {
    const keys = (await admin('GET', '/admin/v1/master-keys')) as MasterKeys
    if (json === true) print(keys)
    else process.stdout.write(`${describeMasterKeys(keys)}\n`)
  })
}

/** @returns a table of the keys, one line for each node, and the next step */
export function describeMasterKeys({ data, nodes }: MasterKeys): string {
  const rows = data.map(({ id, signing_secrets, short_lived }) => [
    id,
    numberOf(signing_secrets),
    numberOf(short_lived),
  ])
  const table = [['KEY', 'SIGNING SECRETS', 'SHORT-LIVED'], ...rows].map(
    ([id, secrets, short]) => `${id!.padEnd(16)}  ${secrets!.padStart(15)}  ${short!.padStart(11)}`,
  )
  const ofNodes = nodes.map(({ id, master_keys: keys }) => {
    if (keys === null) return `Node ${id} runs an earlier release, which supports only one key.`
    const [current, ...others] = keys
    return `Node ${id} encrypts with ${current}${others.length === 0 ? '' : ` and also decrypts with ${others.join(', ')}`}.`
  })
  return [...table, '', ...ofNodes, '', adviceOn({ data, nodes })].join('\n')
}

function adviceOn({ data, nodes }: MasterKeys): string {
  const first = new Set(nodes.map(({ master_keys: keys }) => keys?.[0]))
  if (first.size > 1)
    return 'The nodes encrypt with different keys. Put the new key first on all of them; until then, nothing is re-encrypted.'
  const old = data.filter(({ current }) => !current)
  const needed = old.filter(({ removable }) => !removable)
  if (needed.length > 0) {
    const secrets = needed.reduce((sum, key) => sum + key.signing_secrets, 0)
    const what =
      secrets > 0
        ? `${countOf(secrets, 'signing secret is', 'signing secrets are')} being re-encrypted with the current key`
        : 'The rotation is almost complete'
    return `${what}. Keep ${needed.map(({ id }) => id).join(', ')} in POSTHORN_MASTER_KEY.`
  }
  if (old.length === 0) return 'There is one master key.'
  return old.map(({ id }) => adviceOnUnused(id, nodes)).join('\n')
}

/** An unused key may be the next one or an earlier one. */
function adviceOnUnused(id: string, nodes: MasterKeys['nodes']): string {
  const lacking = nodes.filter(({ master_keys: keys }) => keys?.includes(id) !== true)
  const next =
    lacking.length === 0
      ? 'put it first on all nodes'
      : `add it to ${lacking.map((node) => `node ${node.id}`).join(', ')}, and then put it first on all nodes`
  return `Nothing is encrypted with ${id}. If it is the next key, ${next}. If it is an earlier one, remove it; cursors that clients got while it was in use then stop working.`
}
