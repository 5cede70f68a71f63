import { checkLock, LOCK_FILE, presentShapes } from './catalog/commands.ts'

const breaches = checkLock(LOCK_FILE, presentShapes())
if (breaches.length > 0) {
  process.stderr.write(`Published event types changed incompatibly:\n${breaches.join('\n')}\n`)
  process.exitCode = 1
} else process.stdout.write('Every published event type has the shape that it was published with\n')
