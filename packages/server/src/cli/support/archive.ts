import { open, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { packTar, unpackTar } from 'modern-tar'
import { SettingError } from '../settings.ts'

/** Readable for this user alone. */
const MODE = 0o600

/** Puts texts, by name, into a directory of a tar archive. */
export async function packed(
  directory: string,
  texts: ReadonlyMap<string, string>,
  mtime: Date,
): Promise<Uint8Array> {
  return packTar(
    [...texts].map(([name, text]) => {
      const body = Buffer.from(text)
      return {
        header: { name: `${directory}/${name}`, size: body.length, mode: MODE, mtime, type: 'file' },
        body,
      }
    }),
  )
}

/** @returns the texts of a tar archive, by name without the directory */
export async function unpacked(archive: Uint8Array): Promise<ReadonlyMap<string, string>> {
  const entries = await unpackTar(archive)
  return new Map(
    entries.map(({ header, data }) => [path.basename(header.name), Buffer.from(data ?? []).toString('utf8')]),
  )
}

/** @returns the bytes of a `.tar.gz` */
export const compressed: (archive: Uint8Array) => Promise<Uint8Array> = promisify(gzip)

/**
 * Writes a new file, or none.
 * @throws SettingError (rejects) if there is a file of that name already, or it cannot be written
 */
export async function writeNew(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, 'wx', MODE).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? existsError(file) : writeError(file, error)
  })
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } catch (error) {
    await rm(file, { force: true })
    throw writeError(file, error as NodeJS.ErrnoException)
  } finally {
    await handle.close()
  }
}

export const existsError = (file: string): SettingError =>
  new SettingError(`--out: ${file} already exists. Name another file, or remove it`)

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such directory',
  EACCES: 'this user has no permission to write there',
  ENOSPC: 'the disk is full',
}

const writeError = (file: string, { code = '', message }: NodeJS.ErrnoException): SettingError =>
  new SettingError(`--out: cannot write ${file}: ${REASONS[code] ?? message}`)
