import { DIRECTORY, writeFiles } from './client/files.ts'
import { generateClient } from './client/generate.ts'

const files = await generateClient()
writeFiles(files)
process.stdout.write(`${files.size} files written to ${DIRECTORY}\n`)
