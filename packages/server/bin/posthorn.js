#!/usr/bin/env node
// The link to this file is made at install time, so it must exist before the build does.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// By default SIGHUP ends a process. Until the service reads its settings, there is nothing to reload.
if (process.argv[2] === 'serve') process.on('SIGHUP', () => {})

/** The oldest Node.js that is supported, as in `>=20.19`. */
const needed = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).engines.node.slice(2)
const isOlder = (version, than) => {
  const [major, minor] = version.split('.').map(Number)
  const [thanMajor, thanMinor] = than.split('.').map(Number)
  return major < thanMajor || (major === thanMajor && minor < thanMinor)
}

const program = new URL('../dist/main.js', import.meta.url)
if (isOlder(process.versions.node, needed)) {
  process.stderr.write(`posthorn: Node.js ${process.versions.node} is too old. Install ${needed} or newer.\n`)
  process.exitCode = 1
} else if (existsSync(fileURLToPath(program))) {
  await import(program.href)
} else {
  process.stderr.write('posthorn: not built yet. Run `npm run build` in the checkout first.\n')
  process.exitCode = 1
}
