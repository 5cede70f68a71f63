import { describe, expect, test } from 'vitest'
import { runPosthorn } from '../src/support/posthorn.ts'

describe('the command line', () => {
  test('--help lists every variable, --version prints the version', async () => {
    const help = await runPosthorn(['serve', '--help'])
    expect(help.code).toBe(0)
    for (const [variable] of [['POSTHORN_PORT'], ['POSTHORN_DATA_DIR'], ['POSTHORN_EGRESS_ALLOW']]) {
      expect(help.stdout).toContain(variable)
    }
    const top = await runPosthorn(['--help'])
    expect(top.code).toBe(0)
    expect(top.stdout).toContain('serve')
    const version = await runPosthorn(['--version'])
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  test.each([
    [['backup'], ['POSTHORN_DATA_DIR', 'POSTHORN_MASTER_KEY'], 'POSTHORN_PORT'],
    [['workspace', 'create'], ['POSTHORN_PUBLIC_URL', 'POSTHORN_ADMIN_TOKEN'], 'POSTHORN_LEASE'],
    [['publish'], ['POSTHORN_PUBLIC_URL', 'POSTHORN_PORT'], 'POSTHORN_ADMIN_TOKEN'],
  ])('%j --help lists only the variables that it reads', async (command, read, other) => {
    const { stdout } = await runPosthorn([...command, '--help'])
    for (const variable of read) expect(stdout).toContain(variable)
    expect(stdout).not.toContain(other)
  })

  test('an unknown flag ends with the error and a line that points to the help', async () => {
    const { code, stderr } = await runPosthorn(['serve', '--prot', '1'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: [^\n]+--prot[^\n]+\n(\(Did[^\n]+\n)?Add --help to see the options\.\n$/)
  })

  test('an unknown command ends with an error on stderr', async () => {
    const { code, stderr } = await runPosthorn(['sevre'])
    expect(code).toBe(1)
    expect(stderr).toContain('sevre')
  })
})
