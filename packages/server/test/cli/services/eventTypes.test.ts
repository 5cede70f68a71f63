import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { eventTypesModule } from '../../../src/cli/services/eventTypes.ts'
import { checkProfile } from '../../../src/profiles/check.ts'
import type { Profile } from '../../../src/profiles/profile.ts'

const PROFILES = new URL('../../../profiles/', import.meta.url)
const RECEIVER = fileURLToPath(new URL('../../../../receiver/src/', import.meta.url))
const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url))

const HOSTILE = '*/ export const stolen = process.env /*'
const schema = {
  type: 'object',
  description: HOSTILE,
  $defs: { money: { type: 'object', properties: { cents: { type: 'integer' } }, required: ['cents'] } },
  properties: {
    total: { $ref: '#/$defs/money', description: HOSTILE },
    status: { enum: ['open', HOSTILE] },
    lines: { type: 'array', items: { $ref: '#/$defs/money' }, maxItems: 1000 },
  },
  required: ['total', 'status'],
  additionalProperties: false,
}
const BILLING = {
  profile: 1,
  name: 'billing-2',
  title: `Billing ${HOSTILE}`,
  catalog: {
    types: [
      {
        type: 'invoice.paid',
        title: HOSTILE,
        description: HOSTILE,
        schema,
        example: { total: { cents: 1 }, status: 'open' },
      },
      {
        type: 'invoice.voided',
        title: 'Voided',
        schema,
        example: { total: { cents: 2 }, status: HOSTILE, lines: [{ cents: 1 }] },
      },
    ],
  },
}

function profileOf(document: unknown): Profile {
  const { errors, profile } = checkProfile(document)
  expect(errors).toEqual([])
  return profile!
}

/** The compiler's diagnostics of files, by name. */
function complaints(files: Readonly<Record<string, string>>): string[] {
  const directory = mkdtempSync(path.join(tmpdir(), 'posthorn-types-'))
  try {
    const names = Object.entries(files).map(([name, text]) => {
      writeFileSync(path.join(directory, name), text)
      return path.join(directory, name)
    })
    const program = ts.createProgram(names, {
      strict: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2023.d.ts'],
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      types: ['node'],
      typeRoots: [path.join(ROOT, 'node_modules/@types')],
      paths: {
        '@posthorn/receiver': [`${RECEIVER}index.ts`],
        '@posthorn/receiver/profile': [`${RECEIVER}profile.ts`],
      },
    })
    return ts.getPreEmitDiagnostics(program).map(({ messageText, file }) => {
      return `${file === undefined ? '' : path.basename(file.fileName)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
    })
  } finally {
    rmSync(directory, { recursive: true })
  }
}

const pascalCase = (name: string) =>
  name.replace(/(^|-)(.)/g, (_, _sign, letter: string) => letter.toUpperCase())

/** Code that uses each type of a profile according to its example. */
const usesOf = (profile: Profile, events: string) =>
  profile.catalog.types
    .map(
      ({ type, example }, i) =>
        `export const example${i}: ${events}[${JSON.stringify(type)}] = ${JSON.stringify(example)}`,
    )
    .join('\n')

test('the types of every profile compile, and match the examples of its events', async () => {
  const files: Record<string, string> = {}
  // Operational webhooks have a reserved name.
  const names = readdirSync(PROFILES).filter((file) => file !== 'operational.json')
  const documents = names.map((file) => JSON.parse(readFileSync(new URL(file, PROFILES), 'utf8')))
  for (const document of [...documents, BILLING]) {
    const profile = profileOf(document)
    const module = await eventTypesModule(profile)
    files[`${profile.name}.ts`] = `${module}\n${usesOf(profile, `${pascalCase(profile.name)}Events`)}`
  }
  files['narrowed.ts'] = `
    import { createReceiver } from '@posthorn/receiver'
    import { profileScheme } from '@posthorn/receiver/profile'
    import type { Billing2Event } from './billing-2.ts'
    import type { AdsEvent } from './ads.ts'
    const receiver = createReceiver<Billing2Event>({ scheme: 'standard', secrets: 'x' })
    declare const profile: { profile: number }
    export async function narrow(request: Request): Promise<number> {
      const { event } = await receiver.verify(request)
      if (event.type === 'invoice.paid') return event.data.total.cents
      const ads = createReceiver({ scheme: profileScheme<AdsEvent>(profile), secrets: 'x' })
      const verified = await ads.verify(request)
      return verified.event.type === 'campaign.status_changed.v1' ? verified.event.data.to.length : 0
    }`
  files['wrong.ts'] = `
    import type { Billing2Events } from './billing-2.ts'
    export const paid: Billing2Events['invoice.paid'] = { total: { cents: '1' }, status: 'open' }`
  const found = complaints(files)
  expect(found).toEqual([
    expect.stringContaining("wrong.ts: Type 'string' is not assignable to type 'number'"),
  ])
  // Only types remain of the profile.
  const { outputText } = ts.transpileModule(await eventTypesModule(profileOf(BILLING)), {
    compilerOptions: { removeComments: true },
  })
  expect(outputText).not.toContain('stolen')
})

test('the module is the same each time, and names its origin', async () => {
  const profile = profileOf(BILLING)
  const module = await eventTypesModule(profile)
  expect(await eventTypesModule(profile)).toBe(module)
  expect(module.split('\n')[0]).toMatch(
    /^\/\/ Events of Billing .* Made from its profile by: posthorn service types$/,
  )
})
