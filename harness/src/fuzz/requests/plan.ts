import fc from 'fast-check'
import type { JsonSchema } from '../../api/jsonSchema.ts'
import type { Parameter } from '../../api/operation.ts'
import type { Knowledge } from '../knowledge.ts'
import type { Described } from '../router.ts'
import { arbitraryOf } from '../values/arbitrary.ts'
import { type Mutation, mutations } from '../values/mutate.ts'
import { type Damage, damages } from './damage.ts'
import { type Header, oddAuthorizations, oddHeaders, oddQueries, oddSegments } from './oddities.ts'

/**
 * The parts of a request that may be wrong. Mostly one is, or none, since a request fails at its first
 * mistake.
 */
const PARTS = ['credentials', 'method', 'params', 'path', 'query', 'headers', 'value', 'text'] as const
type Part = (typeof PARTS)[number]

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE']

/** How the caller authenticates. */
type Credentials =
  | { readonly kind: 'own' | 'spent' | 'of another account' | 'none' }
  | { readonly kind: 'odd'; readonly value: string }

/** The values of a path's parameters. */
export type ParamsPlan =
  | { readonly kind: 'own' | 'of another account' }
  /** One of them with a character changed. */
  | { readonly kind: 'altered'; readonly at: number; readonly character: string }
  | { readonly kind: 'odd'; readonly segment: string }

export type PathEdit =
  | 'a slash too many'
  | 'a slash at the end'
  | 'doubled'
  | 'upper case'
  | 'encoded'
  | 'cut off'
  | 'very long'
const PATH_EDITS: readonly PathEdit[] = [
  'a slash too many',
  'a slash at the end',
  'doubled',
  'upper case',
  'encoded',
  'cut off',
  'very long',
]

/**
 * A request before it is known what exists: its numbers pick from what exists later. A seed and its number
 * determine everything about it.
 */
export interface Plan {
  readonly preferLasting: boolean
  readonly account: number
  readonly key: number
  readonly credentials: Credentials
  /** Replaces the operation's own. */
  readonly method: string | null
  readonly params: ParamsPlan
  readonly pick: number
  readonly pathEdit: PathEdit | null
  readonly query: Readonly<Record<string, unknown>>
  /** Replaces `query`, as sent. */
  readonly oddQuery: string | null
  readonly headers: Readonly<Record<string, unknown>>
  readonly oddHeaders: readonly Header[]
  /** `undefined`: none. */
  readonly body: unknown
  readonly mutation: Mutation | null
  readonly damage: Damage | null
}

const moods: fc.Arbitrary<ReadonlySet<Part>> = fc.oneof(
  { weight: 9, arbitrary: fc.constant(new Set<Part>()) },
  { weight: 4, arbitrary: fc.constant(new Set<Part>(['value'])) },
  { weight: 8, arbitrary: fc.constantFrom(...PARTS).map((part) => new Set([part])) },
  {
    weight: 1,
    arbitrary: fc.uniqueArray(fc.constantFrom(...PARTS), { minLength: 2 }).map((parts) => new Set(parts)),
  },
)

/** @throws CannotGenerateError */
export function plansOf({ document, operation }: Described, knowledge: Knowledge): fc.Arbitrary<Plan> {
  const conversion = {
    resolve: (ref: string) => document.places.at<JsonSchema>(ref).value,
    override: knowledge.overridesFor(document),
  }
  const parametersIn = (where: Parameter['in']) =>
    membersFrom(
      operation.parameters.filter((parameter) => parameter.in === where),
      ({ name, schema }) =>
        schema === null ? fc.string() : arbitraryOf({ $ref: schema.pointer }, conversion, name),
    )
  const json = operation.body?.content.get('application/json') ?? null
  const described = json === null ? fc.constant(undefined) : arbitraryOf({ $ref: json.pointer }, conversion)
  const { [operation.id]: known } = knowledge.bodies
  const bodies =
    known === undefined
      ? described
      : fc.oneof({ weight: 4, arbitrary: known }, { weight: 1, arbitrary: described })
  const query = parametersIn('query')
  const headers = parametersIn('header')
  return moods.chain((odd) => {
    const oddly = <T>(part: Part, otherwise: T, values: fc.Arbitrary<T>) =>
      odd.has(part) ? values : fc.constant(otherwise)
    return fc.record({
      preferLasting: fc.nat(9).map((n) => n < 8),
      account: fc.nat(10_000),
      key: fc.nat(10_000),
      credentials: oddly<Credentials>('credentials', { kind: 'own' }, oddCredentials),
      method: oddly<string | null>('method', null, fc.constantFrom(...METHODS)),
      params: oddly<ParamsPlan>('params', { kind: 'own' }, oddParams),
      pick: fc.nat(10_000),
      pathEdit: oddly<PathEdit | null>('path', null, fc.constantFrom(...PATH_EDITS)),
      query,
      oddQuery: oddly<string | null>('query', null, oddQueries),
      headers,
      oddHeaders: oddly<readonly Header[]>('headers', [], oddHeaders),
      body: odd.has('text') && json === null ? fc.jsonValue() : bodies,
      mutation: oddly<Mutation | null>('value', null, mutations),
      damage: oddly<Damage | null>('text', null, damages),
    })
  })
}

const oddCredentials: fc.Arbitrary<Credentials> = fc.oneof(
  fc.constantFrom<Credentials>({ kind: 'none' }, { kind: 'spent' }, { kind: 'of another account' }),
  oddAuthorizations.map((value): Credentials => ({ kind: 'odd', value })),
)

const oddParams: fc.Arbitrary<ParamsPlan> = fc.oneof(
  fc.constant<ParamsPlan>({ kind: 'of another account' }),
  fc
    .record({ at: fc.nat(10_000), character: fc.constantFrom('0', 'a', 'Z', '_', '%00', '-', '.') })
    .map((change): ParamsPlan => ({ kind: 'altered', ...change })),
  oddSegments.map((segment): ParamsPlan => ({ kind: 'odd', segment })),
)

/** Values by name; optional ones are sometimes left out. */
function membersFrom(
  parameters: readonly Parameter[],
  valuesOf: (parameter: Parameter) => fc.Arbitrary<unknown>,
): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name)
  const entries = parameters.map((parameter) => [parameter.name, valuesOf(parameter)] as const)
  return fc.record(Object.fromEntries(entries), { requiredKeys: required, noNullPrototype: true })
}
