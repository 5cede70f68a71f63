import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Files of the project by their paths from its root, also those that are not committed yet. */
export const projectFiles = (): readonly string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\0')
    .filter((file) => file !== '' && existsSync(path.join(ROOT, file)))
    .sort()

export const markdownFiles = (): readonly string[] => projectFiles().filter((file) => file.endsWith('.md'))

const FOR_READERS = /^([^/]+|packages\/[^/]+\/README|harness\/README|docs\/.+)\.md$/

/** The pages for readers: of the root, of the packages, and of `docs`. */
export const pagesForReaders = (): readonly string[] =>
  markdownFiles().filter((file) => FOR_READERS.test(file))
