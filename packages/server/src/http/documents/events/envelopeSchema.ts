import type { JsonSchema } from '../../../core/catalog.ts'
import { FORMS } from '../../../core/textForms.ts'
import { type EnvelopeNode, isOwnMember, treeOf } from '../../../profiles/envelope.ts'
import type { EnvelopeMember, Profile, TimeForm } from '../../../profiles/profile.ts'
import { andResend } from './placeholders.ts'
import { constant, idSchema, type ObjectSchema, open, sentTime, withoutReferences } from './schemas.ts'
import type { DescribedType, EventService } from './service.ts'

/**
 * Schema of the body that receivers get. Objects are open, so that members that are added later do not break a receiver's
 * validation, unless the profile promises that none is added.
 * @param data gives the schema of the data, or a reference to it
 */
export function envelopeSchema(
  { served: { profile } }: EventService,
  type: DescribedType,
  data: () => JsonSchema,
): JsonSchema {
  const { envelope, envelopeClosed } = profile
  const title = `${type.name}Event`
  if (envelope !== 'bare') {
    const root = new Members(profile, type, data).object(treeOf(envelope))
    const { type: kind, ...rest } = root
    return { type: kind, title, description: type.description, ...rest }
  }
  const { title: _, ...shown } = envelopeClosed ? type.schema : open(type.schema)
  return { type: 'object', title, description: type.description, ...shown }
}

class Members {
  readonly #profile: Profile
  readonly #type: DescribedType
  readonly #data: () => JsonSchema

  constructor(profile: Profile, type: DescribedType, data: () => JsonSchema) {
    this.#profile = profile
    this.#type = type
    this.#data = data
  }

  object(node: EnvelopeNode): JsonSchema {
    const ofWorkspace = isWorkspace(node)
    const properties = Object.fromEntries(
      [...node.children].map(([name, child]) => [name, this.#at(child, ofWorkspace)]),
    )
    const required = [...node.children].filter(([, child]) => this.#isSent(child)).map(([name]) => name)
    if (node.values.length > 0) return this.#dataAmong(properties, required)
    return {
      type: 'object',
      ...(ofWorkspace ? { description: WORKSPACE } : {}),
      ...(this.#profile.envelopeClosed ? { additionalProperties: false } : {}),
      properties,
      required,
    }
  }

  #at(node: EnvelopeNode, ofWorkspace: boolean): JsonSchema {
    return node.children.size > 0 ? this.object(node) : this.#value(node.values[0]!, ofWorkspace)
  }

  /** Whether it is in the body of every event of the type. */
  #isSent({ children, values }: EnvelopeNode): boolean {
    const [member] = values
    if (children.size > 0 || member === undefined || member.otherwise !== undefined) return true
    if (member.field === null || !isOwnMember(member.field)) return true
    return this.#fixed(member.field) !== undefined || (!this.#isTest && this.#given(member.field).required)
  }

  /** The data with the members that the service puts beside its own. */
  #dataAmong(composed: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema {
    const { schema } = this.#type
    const shown = this.#profile.envelopeClosed ? schema : open(schema)
    // These would hold the composed members to rules that are meant for others.
    const { properties, propertyNames: _, patternProperties: _2, maxProperties: _3, ...rest } = shown
    return {
      type: 'object',
      ...rest,
      // Linters take listed members for all that there are.
      ...(schema.additionalProperties === undefined ? { additionalProperties: true } : {}),
      properties: { ...composed, ...(properties as ObjectSchema['properties'] | undefined) },
      required: [...required, ...((schema.required as readonly string[] | undefined) ?? [])],
    }
  }

  #value(member: EnvelopeMember, ofWorkspace: boolean): JsonSchema {
    const { field, as, description, schema } = member
    if (field === 'data') return this.#profile.envelopeClosed ? this.#data() : open(this.#type.schema)
    const described = description === null ? {} : { description }
    if (field !== null && isOwnMember(field)) return { ...this.#own(field, member), ...described }
    if (schema !== null) return { ...schema, ...described }
    switch (field) {
      case null:
        return { ...constant(member.constant), ...described }
      case 'id':
        return { ...idSchema(this.#profile, 'event'), description: description ?? this.#aboutId }
      case 'type':
        return { ...this.#typeName, ...described }
      case 'time':
        return TIMES[as](description ?? 'When it happened. Use it to order events.')
      default:
        return { ...this.#workspace(field, ofWorkspace), ...described }
    }
  }

  get #aboutId(): string {
    return `The id of the event; the same in every attempt${andResend(this.#profile)}.`
  }

  get #typeName(): JsonSchema {
    const { isAny, type } = this.#type
    return isAny
      ? { type: 'string', pattern: FORMS.eventTypeName.pattern, description: 'The type of the event.' }
      : constant(type)
  }

  #workspace(field: string, ofWorkspace: boolean): JsonSchema {
    const texts = ofWorkspace ? OF_WORKSPACE : ALONE
    const isId = field === 'workspace.id'
    return {
      type: 'string',
      ...(isId && this.#profile.prefixes === null ? { format: 'uuid' } : {}),
      description: texts[field]!,
    }
  }

  #own(field: string, { schema, otherwise }: EnvelopeMember): JsonSchema {
    const fixed = this.#fixed(field)
    if (fixed !== undefined) return constant(fixed ?? otherwise ?? null)
    if (schema !== null) return schema
    const given = withoutReferences(this.#given(field).schema)
    const shown = this.#profile.envelopeClosed ? given : open(given)
    if (otherwise === undefined) return shown
    const { description, ...rest } = shown
    return { ...(description === undefined ? {} : { description }), anyOf: [rest, constant(otherwise)] }
  }

  #given(field: string) {
    return this.#profile.event.members[field]!
  }

  /** What the member is in all events of the type. A test says itself what its members are. */
  #fixed(field: string): unknown {
    return this.#isTest ? undefined : this.#type.members[field]
  }

  get #isTest(): boolean {
    return this.#type.type === this.#profile.test?.type
  }
}

const isWorkspace = ({ children, values }: EnvelopeNode): boolean =>
  values.length === 0 &&
  [...children.values()].every((child) => child.values[0]?.field?.startsWith('workspace.') === true)

const WORKSPACE = 'The workspace that the event belongs to.'

/** In an object that holds nothing else. */
const OF_WORKSPACE: Readonly<Record<string, string>> = {
  'workspace.id': 'Its id.',
  'workspace.slug': 'Its slug in API paths.',
  'workspace.name': 'Its name for people.',
}

const ALONE: Readonly<Record<string, string>> = {
  'workspace.id': WORKSPACE,
  'workspace.slug': 'The slug of the workspace that the event belongs to.',
  'workspace.name': 'The name of the workspace that the event belongs to.',
}

const TIMES: Readonly<Record<TimeForm, (description: string) => JsonSchema>> = {
  'iso-ms': sentTime,
  'unix-s': (description) => ({
    type: 'integer',
    minimum: 0,
    description: `${description} Unix time in seconds.`,
  }),
  'unix-ms': (description) => ({
    type: 'integer',
    minimum: 0,
    description: `${description} Unix time in milliseconds.`,
  }),
}
