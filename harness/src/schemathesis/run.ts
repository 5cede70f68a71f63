import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ApiClient } from '../api/client.ts'
import { loadDocuments } from '../api/load.ts'
import { Playground } from '../fuzz/posthorn/playground.ts'
import { killAtExit } from '../support/children.ts'
import { startService } from '../support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../support/tempDirectory.ts'
import { within } from '../support/waiting.ts'
import { type Bounds, configOf } from './config.ts'
import type { DocumentStage } from './stage/documentStage.ts'
import { setStage } from './stage.ts'

const HOOKS = fileURLToPath(new URL('hooks.py', import.meta.url))
const WAITS = '100ms,200ms,300ms'
const ENDS_WITHIN_MS = 600_000

/** Findings about one document. */
export interface DocumentReport {
  readonly document: string
  readonly requests: number
  readonly operations: { readonly total: number; readonly tested: number }
  /** Empty: no findings. Otherwise the output of Schemathesis. */
  readonly findings: string
}

/**
 * Starts the service, isolated with its own receiver, and runs Schemathesis with all its checks over each of
 * its documents.
 * @param program of Schemathesis
 */
export async function checkDocuments(program: string, bounds: Bounds): Promise<readonly DocumentReport[]> {
  const directory = makeDirectory()
  const playground = await Playground.start()
  const service = await startService({
    dataDir: directory,
    settings: {
      POSTHORN_EGRESS_PROXY: playground.proxyUrl,
      POSTHORN_TRUSTED_PROXIES: '127.0.0.1',
      POSTHORN_CONTENT_RETRY: WAITS,
      POSTHORN_ADS_RETRY: WAITS,
    },
  })
  try {
    const documents = await loadDocuments(service.url)
    const client = new ApiClient(service.url, documents)
    const stage = await setStage(client, documents, playground)
    client.close()
    // Each has its own workspaces; generating requests takes as long as answering them.
    return await Promise.all(
      documents.map(({ name }) => checkDocument(program, service.url, name, stage[name]!, bounds, directory)),
    )
  } finally {
    await service.kill()
    await playground.stop()
    removeDirectory(directory)
  }
}

interface Report {
  readonly complete: boolean
  readonly operations: { readonly total: number; readonly tested: number }
  readonly test_cases: { readonly generated: number }
  readonly failures: readonly unknown[]
  readonly errors: readonly unknown[]
}

async function checkDocument(
  program: string,
  origin: string,
  document: string,
  stage: DocumentStage,
  bounds: Bounds,
  directory: string,
): Promise<DocumentReport> {
  const file = (ending: string) => path.join(directory, `schemathesis-${document}.${ending}`)
  writeFileSync(file('toml'), configOf(stage, bounds, HOOKS))
  const { exitCode, output } = await runToEnd(
    program,
    [
      `--config-file=${file('toml')}`,
      '--no-color',
      'run',
      `${origin}/openapi/${document}.json`,
      `--header=Authorization: Bearer ${stage.token}`,
      '--report=json',
      `--report-json-path=${file('json')}`,
    ],
    { SCHEMATHESIS_FACTS: JSON.stringify(stage.facts) },
    directory,
  )
  if (!existsSync(file('json'))) throw new Error(`Schemathesis ended with ${exitCode}:\n${output}`)
  const report = JSON.parse(readFileSync(file('json'), 'utf8')) as Report
  const isClean =
    exitCode === 0 && report.complete && report.failures.length === 0 && report.errors.length === 0
  return {
    document,
    requests: report.test_cases.generated,
    operations: report.operations,
    findings: isClean ? '' : output,
  }
}

/** Runs a program without any variable of this process that could redirect its requests. */
async function runToEnd(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<{ readonly exitCode: number | null; readonly output: string }> {
  const { PATH = '', HOME = '' } = process.env
  const child = killAtExit(
    spawn(program, args, {
      cwd,
      env: { PATH, HOME, LC_ALL: 'C.UTF-8', PYTHONHASHSEED: '0', NO_PROXY: '*', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  try {
    return { exitCode: await within(ended, ENDS_WITHIN_MS, 'end of Schemathesis'), output }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}
