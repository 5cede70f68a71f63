import { DIRECTORY, writeFiles } from './documents/files.ts'
import { generateDocuments } from './documents/generate.ts'

const files = await generateDocuments()
writeFiles(files)
process.stdout.write(`${files.size} documents written to ${DIRECTORY}\n`)
