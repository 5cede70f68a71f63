import { exitOnSignals } from '../support/children.ts'
import { type CutOptions, runCut } from './cutOff.ts'

/**
 * Runs in a network namespace, see `apart.ts`: its argument is a JSON of `CutOptions`, its output one of
 * `CutResult`.
 */
exitOnSignals()
const result = await runCut(JSON.parse(process.argv[2]!) as CutOptions)
process.stdout.write(JSON.stringify(result), () => process.exit())
