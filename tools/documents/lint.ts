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
      // Disables its telemetry and its update check.
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    })
    return ''
  } catch (error) {
    // It prints findings to one stream, and progress to the other.
    const { stdout = '' } = error as { readonly stdout?: string }
    return stdout.trim() === '' ? String(error) : stdout
  }
}

/** AsyncAPI has a newer version, which is known. */
const KNOWN = 'asyncapi-latest-version'

/** @returns the diagnostics of AsyncAPI's parser, one per line */
export async function lintAsyncApi(text: string): Promise<readonly string[]> {
  const { diagnostics } = await new Parser().parse(text)
  return diagnostics
    .filter(({ code }) => code !== KNOWN)
    .map(({ code, message, path: at }) => `${at.join('/')}: ${message} (${code})`)
}
