import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { provideToolchain } from '../../src/subscribers/toolchains.ts'
import { fromGo, fromPypi } from '../../src/support/installed.ts'
import { makeDirectory, removeDirectory } from '../../src/support/tempDirectory.ts'

const run = promisify(execFile)
const CHART = fileURLToPath(new URL('../../../deploy/helm/posthorn', import.meta.url))
const USUAL = 'existingSecret=posthorn,publicUrl=https://hooks.example.com'
const ALL = `${USUAL},ingress.enabled=true,ingress.host=hooks.example.com,ingress.tlsSecret=tls,settings.POSTHORN_RETENTION=7d`
const KUBERNETES = ['1.25', '1.33']

const helm = fromGo('helm.sh/helm/v3/cmd/helm@v3.20.2')
const validate = fromPypi('kubernetes-validate==1.37.0')

let directory: string
beforeAll(() => {
  directory = makeDirectory()
})
afterAll(() => removeDirectory(directory))

async function helmProgram(skip: (condition: boolean, reason: string) => void): Promise<string> {
  const missing = provideToolchain('go') ?? (await helm.provide())
  skip(missing !== null, String(missing))
  return path.join(await helm.home(), 'bin/helm')
}

test('helm accepts the chart, and rejects wrong values by name', { timeout: 1_200_000 }, async ({ skip }) => {
  const program = await helmProgram(skip)
  const { stdout } = await run(program, ['lint', CHART, '--strict', '--set', USUAL])
  expect(stdout).toContain('1 chart(s) linted, 0 chart(s) failed')
  const failure = await run(program, ['lint', CHART, '--set', `${USUAL},replicas=0`]).then(
    () => '',
    (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
  )
  expect(failure).toContain("at '/replicas'")
  const bare = await run(program, ['lint', CHART]).catch((error: { stdout: string }) => error)
  expect(bare.stdout).toContain("at '/existingSecret'")
})

test.for(KUBERNETES)('Kubernetes %s knows every object of the chart', async (version, { skip }) => {
  const program = await helmProgram(skip)
  const missing = await validate.provide()
  skip(missing !== null, String(missing))
  const template = ['template', 'posthorn', CHART, '--kube-version', `${version}.0`, '--set', ALL]
  const { stdout } = await run(program, template)
  const file = path.join(directory, `chart-${version}.yaml`)
  writeFileSync(file, stdout)
  const checker = path.join(await validate.home(), 'venv/bin/kubernetes-validate')
  const { stdout: said, stderr } = await run(checker, ['-k', version, '--strict', file])
  const kinds = [...(said + stderr).matchAll(/passed for resource (\w+)\//g)].map(([, kind]) => kind)
  expect(kinds.sort()).toEqual([
    'deployment',
    'ingress',
    'job',
    'networkpolicy',
    'poddisruptionbudget',
    'service',
  ])
})

test('settings reach the nodes unchanged, and those that the chart manages are rejected', async ({
  skip,
}) => {
  const program = await helmProgram(skip)
  const render = (settings: Readonly<Record<string, unknown>>) => {
    const values = path.join(directory, 'values.json')
    writeFileSync(values, JSON.stringify({ settings }))
    const template = ['template', 'posthorn', CHART, '--kube-version', '1.33.0', '--set', USUAL]
    return run(program, [...template, '--values', values])
  }
  const settings = {
    POSTHORN_MAX_BODY_BYTES: 268_435_456,
    POSTHORN_TRACE_SAMPLING: 0.01,
    POSTHORN_TRACE_RECEIVERS: false,
    POSTHORN_SHUTDOWN_DELAY: '10s',
  }
  const { stdout } = await render(settings)
  for (const [name, value] of Object.entries(settings)) {
    const values = [...stdout.matchAll(new RegExp(`name: ${name}\\n +value: "(.*)"`, 'g'))]
    // One for the migration and one for the nodes.
    expect([name, ...values.map(([, text]) => text)]).toEqual([name, String(value), String(value)])
  }
  for (const [name, instead] of [
    ['POSTHORN_MASTER_KEY', 'put it into the secret'],
    ['POSTHORN_PORT', 'leave it out: the chart has the ports'],
    ['POSTHORN_TLS_CERT_FILE', 'leave it out: the ingress speaks TLS'],
  ])
    await expect(render({ [name!]: '1' })).rejects.toThrow(`settings.${name}: ${instead}`)
})

test('the network policy denies addresses of both families, or none', async ({ skip }) => {
  const program = await helmProgram(skip)
  const template = ['template', 'posthorn', CHART, '--kube-version', '1.33.0', '--set', USUAL]
  const usual = await run(program, template)
  expect(usual.stdout).toMatch(/cidr: 0\.0\.0\.0\/0\n +except:\n +- 169\.254\.0\.0\/16\n/)
  expect(usual.stdout).toMatch(/cidr: ::\/0\n +except:\n +- fd00:ec2::254\/128\n/)
  const open = await run(program, [...template, '--set', 'networkPolicy.deniedCidrs=null'])
  expect(open.stdout).not.toContain('except')
})
