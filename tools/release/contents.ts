import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { command } from './command.ts'

/** Licenses that require only their text, and that Apache-2.0 may be combined with. */
const ACCEPTED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'CC-BY-4.0',
  'ISC',
  'MIT',
  'MIT-0',
  'OFL-1.1',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
])

interface License {
  readonly expression?: string
  readonly license?: { readonly id?: string; readonly name?: string; readonly text?: LicenseText }
}

interface LicenseText {
  readonly content: string
  readonly encoding?: string
}

export interface Component {
  readonly type?: string
  readonly 'bom-ref'?: string
  readonly purl?: string
  readonly group?: string
  readonly name: string
  readonly version?: string
  readonly licenses?: readonly License[]
  readonly evidence?: { readonly licenses?: readonly License[] }
}

/**
 * Installed only for a release: it has an optional part that `npm ci` of every checkout would compile. The
 * others are its validators.
 */
const TOOL = ['@cyclonedx/cyclonedx-npm@6.0.1', 'ajv@8', 'ajv-formats@3', 'ajv-formats-draft2019@1']

/**
 * Writes the packages' contents: `sbom.cdx.json` (CycloneDX 1.6) and `LICENSES.txt`.
 * @param params.checkout with its packages installed
 * @param params.bundled components of which a build contains parts, though they are no production dependencies
 * @param params.scratch a directory for tools
 * @throws Error for a component whose license is not accepted
 */
export async function writeContents(params: {
  readonly checkout: string
  readonly workspaces: readonly string[]
  readonly bundled: readonly Component[]
  readonly target: string
  readonly scratch: string
}): Promise<void> {
  const { checkout, workspaces, bundled, target, scratch } = params
  const sbom = path.join(target, 'sbom.cdx.json')
  mkdirSync(scratch, { recursive: true })
  writeFileSync(path.join(scratch, 'package.json'), '{ "private": true }\n')
  const install = ['install', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund']
  await command('npm', [...install, ...TOOL], scratch)
  // npm reports overrides in the manifest as errors.
  const flags = ['--ignore-npm-errors', '--omit', 'dev', '--flatten-components', '--short-PURLs']
  await command(
    path.join(scratch, 'node_modules/.bin/cyclonedx-npm'),
    [
      ...workspaces.flatMap((workspace) => ['--workspace', workspace]),
      ...flags,
      ...['--gather-license-texts', '--output-reproducible', '--validate', '--output-file', sbom],
    ],
    checkout,
  )
  const document = JSON.parse(readFileSync(sbom, 'utf8')) as { components: readonly Component[] }
  const known = new Set(document.components.map(nameOf))
  const components = [...document.components, ...bundled.filter((one) => !known.has(nameOf(one)))]
  writeFileSync(sbom, `${JSON.stringify({ ...document, components }, null, 2)}\n`)
  const foreign = components.filter(({ group }) => group !== '@posthorn')
  const wrong = foreign.filter((component) => !isAccepted(component))
  if (wrong.length > 0) {
    const list = wrong.map((component) => `${nameOf(component)}: ${licenseOf(component)}`)
    throw new Error(`licenses that are not in tools/release/contents.ts:\n${list.join('\n')}`)
  }
  writeFileSync(path.join(target, 'LICENSES.txt'), foreign.map(section).join('\n'))
}

const nameOf = ({ group, name, version = '' }: Component) =>
  `${group === undefined ? '' : `${group}/`}${name} ${version}`.trim()

const licenseOf = ({ licenses = [] }: Component) =>
  licenses.map(({ expression, license }) => expression ?? license?.id ?? license?.name).join(' and ') ||
  'none'

/** Of alternatives, one is enough. */
function isAccepted(component: Component): boolean {
  return licenseOf(component)
    .replaceAll(/[()]/g, '')
    .split(/ and /i)
    .every((all) => all.split(/ or /i).some((license) => ACCEPTED.has(license.trim())))
}

function section(component: Component): string {
  const texts = (component.evidence?.licenses ?? []).map(({ license }) => textOf(license?.text)).join('\n')
  return `${'='.repeat(78)}\n${nameOf(component)}\n${licenseOf(component)}\n\n${texts}\n`
}

function textOf(text: LicenseText | undefined): string {
  if (text === undefined) return ''
  return text.encoding === 'base64' ? Buffer.from(text.content, 'base64').toString('utf8') : text.content
}
