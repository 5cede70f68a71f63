// Packs the libraries that the service offers for download, into `downloads/` of the package in the working
// directory.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'

const PACKAGES = ['receiver', 'client']

const target = path.resolve('downloads')
mkdirSync(target, { recursive: true })
const packed = mkdtempSync(path.join(target, '.packing-'))
try {
  for (const name of PACKAGES) {
    const directory = path.join(import.meta.dirname, '../packages', name)
    const options = { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }
    const output = execFileSync('npm', ['pack', '--silent', '--pack-destination', packed], options)
    const file = output.trim().split('\n').at(-1)
    // A service that reads it at the same time gets the old or the new file, never a part.
    renameSync(path.join(packed, file), path.join(target, `posthorn-${name}.tgz`))
  }
} finally {
  rmSync(packed, { recursive: true, force: true })
}
