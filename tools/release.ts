// Creates a release of the last commit: `npm run release -- 0.2.0`. See docs/adr/0043-packaging.md.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeArtifacts } from './release/artifacts.ts'
import { readChangelog } from './release/changelog.ts'
import { command } from './release/command.ts'
import { checkNewer, setVersion } from './release/versions.ts'

const CHECKOUT = path.resolve(import.meta.dirname, '..')

/** @throws Error that names the obstacle, before any change */
async function release(version: string): Promise<void> {
  const git = (...args: string[]) => command('git', args, CHECKOUT)
  const changelog = readChangelog(readFileSync(path.join(CHECKOUT, 'CHANGELOG.md'), 'utf8'))
  checkNewer(version, changelog.former)
  if (changelog.unreleased === '') throw new Error('CHANGELOG.md: nothing is listed under "Unreleased"')
  const tag = `v${version}`
  const target = path.join(CHECKOUT, 'release', version)
  if ((await git('status', '--porcelain')) !== '')
    throw new Error('commit or discard your changes first: git status')
  if ((await git('tag', '--list', tag)) !== '') throw new Error(`the tag ${tag} exists already`)
  if (existsSync(target)) throw new Error(`${target} exists already; delete it to make the release again`)
  const found = JSON.parse(
    await command('npm', ['query', '.workspace', '--package-lock-only'], CHECKOUT),
  ) as { location: string }[]
  const workspaces = found.map(({ location }) => location)
  mkdirSync(path.dirname(target), { recursive: true })
  const scratch = mkdtempSync(path.join(path.dirname(target), '.making-'))
  try {
    const clone = path.join(scratch, 'checkout')
    const inClone = (program: string, ...args: string[]) => command(program, args, clone)
    await git('clone', '--quiet', CHECKOUT, clone)
    setVersion(clone, workspaces, version)
    const date = new Date().toISOString().slice(0, 10)
    writeFileSync(path.join(clone, 'CHANGELOG.md'), changelog.released(version, date))
    say('Installing packages')
    await inClone('npm', 'ci')
    say('Building')
    await inClone('npm', 'run', 'build')
    await inClone('npm', 'run', 'documents')
    say('Checking')
    await inClone('npm', 'run', 'check')
    await inClone('git', 'commit', '--quiet', '--all', '--message', `Release ${version}`)
    await inClone('git', 'tag', '--annotate', tag, '--message', `Posthorn ${version}`)
    say('Packing')
    const made = path.join(scratch, 'made')
    await makeArtifacts({
      checkout: clone,
      workspaces,
      version,
      notes: changelog.unreleased,
      target: made,
      scratch: path.join(scratch, 'tools'),
    })
    // From here on it is the release of this checkout. The tag comes last, as a sign that all of it exists.
    renameSync(made, target)
    await git('fetch', '--quiet', '--no-tags', clone, tag)
    await git('merge', '--quiet', '--ff-only', 'FETCH_HEAD^{commit}')
    await git('fetch', '--quiet', clone, `refs/tags/${tag}:refs/tags/${tag}`)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  say(
    `Released ${version}: ${path.relative(process.cwd(), target)}, commit "Release ${version}", tag ${tag}. Push both.`,
  )
}

const say = (line: string) => process.stdout.write(`${line}\n`)

const [version, ...others] = process.argv.slice(2)
try {
  if (version === undefined || others.length > 0) throw new Error('usage: npm run release -- 0.2.0')
  await release(version)
} catch (error) {
  process.stderr.write(`release: ${(error as Error).message}\n`)
  process.exitCode = 1
}
