import type { JSONSchema } from 'json-schema-to-typescript'
import { canonicalJson } from '../../core/canonicalJson.ts'
import type { JsonSchema } from '../../core/catalog.ts'
import { standardService } from '../../profiles/builtIn.ts'
import type { Profile } from '../../profiles/profile.ts'
import { mapSchemas } from '../../validation/mapSchemas.ts'

/** Ends a comment of TypeScript. */
const COMMENT_END = /\*\//g

/**
 * A module of TypeScript with the types of a service's events, for `createReceiver` of `@posthorn/receiver`.
 *
 * @param profile that was found valid
 */
export async function eventTypesModule(profile: Profile): Promise<string> {
  const name = pascalCase(profile.name)
  const { library, kind, use } = isStandard(profile) ? STANDARD : PROFILE
  const { compile } = await import('json-schema-to-typescript')
  const interfaces = await compile(catalogSchema(profile, `${name}Events`), `${name}Events`, {
    bannerComment: '',
    // A list of at most 1,000 would become a union of 1,000 tuples.
    ignoreMinAndMaxItems: true,
    style: { semi: false, singleQuote: true, printWidth: 110 },
    $refOptions: { resolve: { external: false } },
  })
  return [
    `// Events of ${oneLine(profile.title)}. Made from its profile by: posthorn service types`,
    `import type { ${kind} as EventOf } from '${library}'`,
    '',
    interfaces.trim(),
    '',
    `/** An event: compare its \`type\` to narrow its data. Use it as \`${use(`${name}Event`)}\`. */`,
    `export type ${name}Event = EventOf<${name}Events>`,
    '',
  ].join('\n')
}

const STANDARD = {
  library: '@posthorn/receiver',
  kind: 'StandardEvent',
  use: (event: string) => `createReceiver<${event}>({ scheme: 'standard', secrets })`,
}
const PROFILE = {
  library: '@posthorn/receiver/profile',
  kind: 'ProfileEvent',
  use: (event: string) => `createReceiver({ scheme: profileScheme<${event}>(profile), secrets })`,
}

/** Whether receivers need no profile: its requests and bodies are those of Standard Webhooks. */
function isStandard(profile: Profile): boolean {
  const requests = ({ headers, signatures, secret, envelope }: Profile) =>
    canonicalJson({ headers, signatures, prefix: secret.prefix, envelope })
  return requests(profile) === requests(standardService().profile)
}

/** An object whose members are the data of events, by their type. */
function catalogSchema(profile: Profile, title: string): JSONSchema {
  const { types } = profile.catalog
  const properties = types.map(({ type, schema, title: heading, description }) => {
    const place = `#/properties/${type.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const own = rooted(schema as JsonSchema, place)
    return [type, { ...own, title: type, description: plain(description ?? heading) }] as const
  })
  return {
    title,
    description: `Data of the events of ${plain(profile.title)}, by their type.`,
    type: 'object',
    additionalProperties: false,
    required: types.map(({ type }) => type),
    properties: Object.fromEntries(properties),
  } as JSONSchema
}

/** A schema as a part of another: its references are adjusted, and nothing in it may be read as code. */
function rooted(schema: JsonSchema, place: string): JsonSchema {
  const { $ref, tsType: _, tsEnumNames: _names, title: _title, description, ...rest } = schema
  return mapSchemas(
    {
      ...rest,
      ...(typeof $ref === 'string' ? { $ref: $ref.replace('#', place) } : {}),
      ...(typeof description === 'string' ? { description: plain(description) } : {}),
    },
    (part) => rooted(part, place),
  )
}

const plain = (text: string) => text.replace(COMMENT_END, '* /')
const oneLine = (text: string) => plain(text).replace(/\s+/g, ' ')

const pascalCase = (name: string) =>
  name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())
