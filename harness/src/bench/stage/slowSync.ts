import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { serverAccount, sharedTempDirectory } from '../../postgres/account.ts'
import { makeDirectory } from '../../support/tempDirectory.ts'
import { BenchError } from '../frame/benchError.ts'

const SOURCE = fileURLToPath(new URL('./slowSync.c', import.meta.url))

/**
 * Compiles a library that slows every sync to disk in a program that preloads it.
 * @returns its path, readable by every user of this machine; it is removed when this process ends
 * @throws BenchError where there is no C compiler
 */
export function compileSlowSync(delayMs: number): string {
  const directory = makeDirectory(sharedTempDirectory(serverAccount()))
  // PostgreSQL does not run as root.
  chmodSync(directory, 0o755)
  const library = path.join(directory, 'slowSync.so')
  const args = ['-shared', '-fPIC', '-O1', `-DDELAY_US=${delayMs * 1000}`, '-o', library, SOURCE, '-ldl']
  try {
    execFileSync('cc', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { readonly stderr?: Buffer }
    throw new BenchError(
      code === 'ENOENT'
        ? 'slowing down the disk requires a C compiler named cc: install gcc and the headers of the C library (on Debian: build-essential)'
        : `the library that slows the disk did not compile: ${String(stderr)}`,
    )
  }
  return library
}
