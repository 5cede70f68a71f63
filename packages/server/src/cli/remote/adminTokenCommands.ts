import type { Command } from 'commander'
import { SettingError } from '../settings.ts'
import { positiveDuration } from '../settingValues.ts'
import { byAdmin, print } from './byAdmin.ts'

const PATH = '/admin/v1/admin-tokens'
const PAGE = 100

interface TokenPage {
  readonly data: readonly unknown[]
  readonly next_cursor: string | null
}

export function addAdminTokenCommands(adminToken: Command): void {
  const create = adminToken
    .command('create')
    .description('Create a token for a program or a person; it is shown only once')
    .requiredOption('--name <name>', 'name of the token in the list and in the audit log')
    .option('--expires-in <duration>', 'lifetime of the token, such as 90d (default: no expiry)')
  byAdmin(create, (admin) => async ({ name, expiresIn }) => {
    const expires_at = expiresIn === undefined ? undefined : timeAfter(expiresIn)
    print(await admin('POST', PATH, { name, ...(expires_at === undefined ? {} : { expires_at }) }))
  })
  const list = adminToken
    .command('list')
    .description('List named tokens, newest first, including revoked and expired ones')
  byAdmin(list, (admin) => async () => {
    const data: unknown[] = []
    let cursor: string | null = null
    do {
      const more: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const page = (await admin('GET', `${PATH}?limit=${PAGE}${more}`)) as TokenPage
      data.push(...page.data)
      cursor = page.next_cursor
    } while (cursor !== null)
    print({ data })
  })
  const revoke = adminToken
    .command('revoke <id>')
    .description('Revoke a token; it stops working within 5 seconds')
  byAdmin(revoke, (admin) => async (id: string) => {
    await admin('DELETE', `${PATH}/${encodeURIComponent(id)}`)
    process.stdout.write(`Revoked the admin token ${id}.\n`)
  })
}

/** @throws SettingError */
function timeAfter(duration: string): string {
  try {
    return new Date(Date.now() + positiveDuration(duration)).toISOString()
  } catch (error) {
    throw new SettingError(`--expires-in: ${(error as Error).message}`)
  }
}
