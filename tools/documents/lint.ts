import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Parser } from '@asyncapi/parser'

/** @returns complaints of the OpenAPI linter about files, as it prints them; empty when it has none */
export function lintOpenApi(files: readonly string[]): string {
  const cli = fileURLToPath(import.meta.resolve('@redocly/cli/bin/cli.js'))
  const config = path.join(import.meta.dirname, 'redocly.yaml')
  try {
    execFileSync(process.execPath, [cli, 'lint', ...files, '--config', config, '--format', 'stylish'], {
      encoding: 'utf8',
      stdio: 'pipe',
      // It must neither report nor look for a newer version of itself.
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    })
    return ''
  } catch (error) {
    // What it found goes to one stream, how it went to the other.
    const { stdout = '' } = error as { readonly stdout?: string }
    return stdout.trim() === '' ? String(error) : stdout
  }
}

/** There is a newer version of AsyncAPI; that is known. */
const KNOWN = 'asyncapi-latest-version'

/** @returns what the parser of AsyncAPI has to say, one line for each remark */
export async function lintAsyncApi(text: string): Promise<readonly string[]> {
  const { diagnostics } = await new Parser().parse(text)
  return diagnostics
    .filter(({ code }) => code !== KNOWN)
    .map(({ code, message, path: at }) => `${at.join('/')}: ${message} (${code})`)
}
