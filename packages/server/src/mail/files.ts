import { type FileHandle, mkdir, open, rename } from 'node:fs/promises'
import path from 'node:path'
import { lazy } from '../core/lazy.ts'
import type { Address, Mail, Transport } from './mail.ts'
import { toMime } from './mime.ts'

/**
 * Writes each message as a file that mail programs open. A file is there whole or not at all, and is the same file when
 * the message is written once more.
 */
export function fileTransport(directory: string, from: Address): Transport {
  // Most services send their first message long after their start, or none.
  const transporter = lazy(async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  })
  return {
    done: 'e-mail written to a file: no mail server is set',
    async send(mail) {
      const { message } = await (await transporter()).sendMail(toMime(mail, from))
      await mkdir(directory, { recursive: true, mode: 0o700 })
      const file = path.resolve(directory, fileName(mail))
      await writeWhole(file, message as Buffer)
      return { file }
    },
  }
}

/** In the order in which they were made. */
function fileName({ createdAt, kind, key }: Mail): string {
  return `${new Date(createdAt).toISOString().replaceAll(':', '-')}-${kind}-${key}.eml`
}

/** @returns when the message in a file was made, Unix ms, also of one half written; `null`: it is no message of this service */
export function fileTime(name: string): number | null {
  const [, day, hour, minute, second] = FILE.exec(name) ?? []
  if (day === undefined) return null
  const at = Date.parse(`${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(at) ? null : at
}

const FILE = /^\.?(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})Z-\w+-[\w-]+\.eml(?:\.partial)?$/

async function writeWhole(file: string, bytes: Buffer): Promise<void> {
  const partial = path.join(path.dirname(file), `.${path.basename(file)}.partial`)
  // It may hold a sign-in link.
  await synced(await open(partial, 'w', 0o600), (handle) => handle.writeFile(bytes))
  await rename(partial, file)
  await synced(await open(path.dirname(file), 'r'))
}

async function synced(handle: FileHandle, write?: (handle: FileHandle) => Promise<void>): Promise<void> {
  try {
    await write?.(handle)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
