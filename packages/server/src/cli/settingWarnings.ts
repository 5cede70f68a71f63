import { statSync } from 'node:fs'
import { DAY_MS } from '../core/duration.ts'
import { type EgressRules, isAllowedAddress } from '../core/targets/index.ts'
import type { WarningCode } from '../engine/log/warnings.ts'
import type { OpenFile } from './config/textFile.ts'
import { expiryOf } from './config/tlsIdentity.ts'
import { adminTokenFile, masterKeyFile } from './generatedKeys.ts'
import type { Config } from './settings.ts'

/** A setting that works but is dangerous, or will soon stop working. */
export interface SettingWarning {
  readonly code: WarningCode
  /** What is wrong and what to do. */
  readonly text: string
}

/** Wider than any network that one operator runs. */
const WIDE_BITS = { 4: 8, 16: 16 } as const
/** Addresses where clouds give credentials to any request from inside. */
const METADATA_ADDRESSES = ['169.254.169.254', '168.63.129.16', '100.100.100.200', 'fd00:ec2::254']
const RENEW_WITHIN_MS = 14 * DAY_MS
const OTHERS = 0o077
const IF_MASTER_KEY_READ =
  'If others may have read the master key, replace it (see docs/operations/master-key.md) and rotate the signing secrets of all webhooks.'
const IF_ADMIN_TOKEN_READ =
  'If others may have read the admin token, delete its file and restart the service. The start creates a new token.'

export type WatchedSettings = Pick<
  Config,
  'egressRules' | 'dataDir' | 'adminToken' | 'masterKey' | 'openFiles' | 'tls'
>

export function settingWarnings(config: WatchedSettings, now: number): readonly SettingWarning[] {
  return [
    ...egressWarnings(config.egressRules),
    ...fileWarnings(config),
    ...secretFileWarnings(config.openFiles),
    ...(config.tls === null ? [] : certificateWarnings(expiryOf(config.tls), now)),
  ]
}

function egressWarnings(rules: EgressRules): readonly SettingWarning[] {
  const isWide = rules.ranges.some(
    ({ base, prefixBits }) => prefixBits < WIDE_BITS[base.length === 4 ? 4 : 16],
  )
  const reached = METADATA_ADDRESSES.filter((address) => isAllowedAddress(address, rules))
  const wide: SettingWarning = {
    code: 'egress_allow_wide',
    text: 'POSTHORN_EGRESS_ALLOW allows very large networks, such as 0.0.0.0/0: webhooks can reach addresses inside your network. List only networks with receivers, such as 10.20.0.0/16.',
  }
  const metadata: SettingWarning = {
    code: 'egress_allow_metadata',
    text: `POSTHORN_EGRESS_ALLOW allows ${reached.join(' and ')}, where clouds give out credentials: a webhook can request them. List only networks that do not contain these addresses.`,
  }
  return [...(isWide ? [wide] : []), ...(reached.length > 0 ? [metadata] : [])]
}

function fileWarnings({
  dataDir,
  adminToken,
  masterKey,
}: Pick<Config, 'dataDir' | 'adminToken' | 'masterKey'>): readonly SettingWarning[] {
  const directory = othersMode(dataDir)
  const keys = [
    ...(masterKey === null ? [{ file: masterKeyFile(dataDir), ifRead: IF_MASTER_KEY_READ }] : []),
    ...(adminToken === null ? [{ file: adminTokenFile(dataDir), ifRead: IF_ADMIN_TOKEN_READ }] : []),
  ].flatMap(({ file, ifRead }) => {
    const mode = othersMode(file)
    return mode === null ? [] : [{ file, mode, ifRead }]
  })
  const warnings: SettingWarning[] = []
  if (directory !== null) {
    warnings.push({
      code: 'data_directory_open',
      text: `Other users of this machine have access to the data directory ${dataDir} (mode ${directory}). Run: chmod 700 ${dataDir}`,
    })
  }
  if (keys.length > 0) {
    const named = keys.map(({ file, mode }) => `${file} (mode ${mode})`).join(' and ')
    warnings.push({
      code: 'key_file_open',
      text: `Other users of this machine have access to ${named}. Run: chmod 600 ${keys.map(({ file }) => file).join(' ')}. ${keys.map(({ ifRead }) => ifRead).join(' ')}`,
    })
  }
  return warnings
}

function secretFileWarnings(openFiles: readonly OpenFile[]): readonly SettingWarning[] {
  if (openFiles.length === 0) return []
  const named = openFiles.map(({ file, mode }) => `${file} (mode ${mode})`).join(' and ')
  const files = openFiles.map(({ file }) => file).join(' ')
  return [
    {
      code: 'setting_file_open',
      text: `Other users of this machine have access to secrets in ${named}. Run: chmod 600 ${files}, or chmod 440 if the service has access through its group.`,
    },
  ]
}

function certificateWarnings(expiry: number, now: number): readonly SettingWarning[] {
  if (expiry > now + RENEW_WITHIN_MS) return []
  const when = new Date(expiry).toISOString()
  const what = expiry <= now ? `expired at ${when}: clients reject it` : `expires at ${when}`
  return [
    {
      code: 'tls_certificate_expires',
      text: `The certificate in POSTHORN_TLS_CERT_FILE ${what}. Replace the certificate file and the key file, then send SIGHUP to the service.`,
    },
  ]
}

/** @returns the mode, in octal, when the group or others have any access; `null` when not, or where modes say nothing */
function othersMode(path: string): string | null {
  const found = process.platform === 'win32' ? undefined : statSync(path, { throwIfNoEntry: false })
  if (found === undefined || (found.mode & OTHERS) === 0) return null
  return (found.mode & 0o777).toString(8).padStart(4, '0')
}
