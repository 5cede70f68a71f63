import { readFiles } from './client/files.ts'
import { generateClient } from './client/generate.ts'
import { drift } from './documents/files.ts'

const complaints = drift(readFiles(), await generateClient())
if (complaints.length > 0) {
  const advice = 'The client is not what docs/api says now; run `npm run client` and look at what changed.'
  process.stderr.write(`${[advice, ...complaints].join('\n')}\n`)
  process.exitCode = 1
} else process.stdout.write('The generated part of the client is up to date\n')
