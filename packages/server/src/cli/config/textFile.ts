import { readFileSync, statSync } from 'node:fs'

const MAX_BYTES = 1024 * 1024
const BYTE_ORDER_MARK = '\uFEFF'
/** Any access of others, and write access of the group. Orchestrators give a process its secrets by read access of the group. */
const TOO_OPEN = 0o027

/** The whole content of a file with settings. */
export interface TextFile {
  /** Without a byte order mark. */
  readonly text: string
  readonly hasByteOrderMark: boolean
  /** In octal, if users have access who should have none to a secret; otherwise `null`. */
  readonly openMode: string | null
}

/** A file with secrets to which users have access who should have none. */
export interface OpenFile {
  readonly file: string
  /** In octal. */
  readonly mode: string
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'this user has no permission to read it',
  EPERM: 'this user has no permission to read it',
}

/**
 * Reads regular files only: a pipe or a device could block a running service.
 * @throws Error whose message says in one line why the file cannot be used, and names it
 */
export function readTextFile(file: string, maxBytes = MAX_BYTES): TextFile {
  try {
    const found = statSync(file)
    if (!found.isFile()) throw new Error('it is not a regular file')
    if (found.size > maxBytes) throw new Error(`it is larger than ${maxBytes / 1024} KiB`)
    const text = textOf(readFileSync(file))
    const hasByteOrderMark = text.startsWith(BYTE_ORDER_MARK)
    return {
      text: hasByteOrderMark ? text.slice(BYTE_ORDER_MARK.length) : text,
      hasByteOrderMark,
      openMode: openModeOf(found.mode),
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Error(`cannot use ${file}: ${code === undefined ? message : (REASONS[code] ?? code)}`)
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Error('it is not UTF-8 text')
  }
}

const openModeOf = (mode: number): string | null =>
  process.platform === 'win32' || (mode & TOO_OPEN) === 0 ? null : (mode & 0o777).toString(8).padStart(4, '0')
