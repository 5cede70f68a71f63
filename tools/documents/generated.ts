import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { commandLinePage } from './commandLine.ts'
import { readFile, readFiles, writeFiles } from './files.ts'
import { generateDocuments, generateReceiverPages } from './generate.ts'
import { settingsPage } from './settingsTable.ts'

type Files = ReadonlyMap<string, string>

/** A file that is generated, or a folder with generated files only. */
interface Generated {
  /** From the root of the project. */
  readonly path: string
  make(): Files | Promise<Files>
  kept(): Files
  write(files: Files): void
}

const ROOT = path.join(import.meta.dirname, '../..')

function folder(name: string, make: Generated['make']): Generated {
  const directory = path.join(ROOT, name)
  return {
    path: name,
    make,
    kept: () => readFiles(directory),
    write: (files) => writeFiles(directory, files),
  }
}

function page(name: string, make: () => string): Generated {
  const file = path.join(ROOT, name)
  return {
    path: name,
    make: () => new Map([[path.basename(file), make()]]),
    kept: () => readFile(file),
    write: (files) => writeFileSync(file, files.get(path.basename(file))!),
  }
}

/** The documents of the API, as they are served. */
export const API_DOCUMENTS = folder('docs/api', generateDocuments)

/** What `npm run documents` writes and `npm run check:documents` compares. */
export const GENERATED: readonly Generated[] = [
  API_DOCUMENTS,
  folder('docs/receive', generateReceiverPages),
  page('docs/cli.md', commandLinePage),
  page('docs/configuration.md', settingsPage),
]
