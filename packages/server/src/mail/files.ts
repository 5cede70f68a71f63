import { type FileHandle, mkdir, open, rename } from 'node:fs/promises'
import path from 'node:path'
import { lazy } from '../core/lazy.ts'
import type { Address, Mail, Transport } from './mail.ts'
import { toMime } from './mime.ts'

/**
 * Writes each message as a file that mail programs can open. A file is complete or not there, and writing the same message
 * again replaces the same file.
 */
export function fileTransport(directory: string, from: Address): Transport {
  // Most services send their first message long after their start, or none.
  const transporter = lazy(async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  })
  return {
    done: 'e-mail written to a file because POSTHORN_SMTP_URL is not set',
    async send(mail) {
      const { message } = await (await transporter()).sendMail(toMime(mail, from))
      await mkdir(directory, { recursive: true, mode: 0o700 })
      const file = path.resolve(directory, fileName(mail))
      await writeWhole(file, message as Buffer)
      return { file }
    },
  }
}

/** In order of creation. */
function fileName({ createdAt, kind, key }: Mail): string {
  return `${new Date(createdAt).toISOString().replaceAll(':', '-')}-${kind}-${key}.eml`
}

/**
 * @returns when the message in a file was created, Unix ms, also for an incomplete file; `null`: the file is not a message of
 *   this service
 */
export function fileTime(name: string): number | null {
  const [, day, hour, minute, second] = FILE.exec(name) ?? []
  if (day === undefined) return null
  const at = Date.parse(`${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(at) ? null : at
}

const FILE = /^\.?(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})Z-\w+-[\w-]+\.eml(?:\.partial)?$/

async function writeWhole(file: string, bytes: Buffer): Promise<void> {
  const partial = path.join(path.dirname(file), `.${path.basename(file)}.partial`)
  // It may contain a sign-in link.
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
