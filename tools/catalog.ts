import { LOCK_FILE, presentShapes, rewriteLock } from './catalog/commands.ts'

const objections = rewriteLock(LOCK_FILE, presentShapes())
if (objections.length > 0) {
  process.stderr.write(`The lock stays as it is:\n${objections.join('\n')}\n`)
  process.exitCode = 1
} else process.stdout.write('The shapes of all event types are locked\n')
