import { writeFileSync } from 'node:fs'
import { commandLinePage } from './documents/commandLine.ts'
import { COMMAND_LINE_PAGE, DIRECTORY, RECEIVER_PAGES, writeFiles } from './documents/files.ts'
import { generateDocuments, generateReceiverPages } from './documents/generate.ts'
import { writeSettingsTable } from './documents/settingsTable.ts'

const files = await generateDocuments()
writeFiles(DIRECTORY, files)
process.stdout.write(`${files.size} documents written to ${DIRECTORY}\n`)
const pages = generateReceiverPages()
writeFiles(RECEIVER_PAGES, pages)
process.stdout.write(`${pages.size} pages written to ${RECEIVER_PAGES}\n`)
writeSettingsTable()
process.stdout.write('The table of settings is written to docs/configuration.md\n')
writeFileSync(COMMAND_LINE_PAGE, commandLinePage())
process.stdout.write('The commands are written to docs/cli.md\n')
