#!/usr/bin/env node
// The link to this file is made at install time, so it must exist before the build does.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// By default SIGHUP ends a process. Until the service reads its settings, there is nothing to reload.
if (process.argv[2] === 'serve') process.on('SIGHUP', () => {})

const program = new URL('../dist/main.js', import.meta.url)
if (existsSync(fileURLToPath(program))) {
  await import(program.href)
} else {
  process.stderr.write('posthorn: not built yet. Run `npm run build` in the checkout first.\n')
  process.exitCode = 1
}
