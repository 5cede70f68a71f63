import type { WorkspaceRef } from '../core/dialect.ts'
import { isoTime } from './isoTime.ts'
import type { EnvelopeMember, Profile, TimeForm } from './profile.ts'

/** A valid event. */
export interface GivenEvent {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
  /** Members that publishers send beside the data, by name. */
  readonly members: Readonly<Record<string, unknown>>
}

/** @param acceptedAt Unix ms @returns the body that every attempt of every delivery of the event sends */
export type Compose = (id: string, acceptedAt: number) => string

/** Values that are known only once an event is accepted. */
type Hole = { readonly hole: 'id' } | { readonly hole: 'time'; readonly as: TimeForm }

/** A place in the body. */
export interface EnvelopeNode {
  /** The values at this place; several if the members of one object are added to others. */
  readonly values: EnvelopeMember[]
  readonly children: Map<string, EnvelopeNode>
}

const newNode = (): EnvelopeNode => ({ values: [], children: new Map() })

const TIME_TEXTS: Readonly<Record<TimeForm, (ms: number) => string>> = {
  'iso-ms': (ms) => `"${isoTime(ms)}"`,
  'unix-s': (ms) => String(Math.floor(ms / 1000)),
  'unix-ms': String,
}

/** The JSON of a value of a body; `null`: it is left out. */
type Value = (event: GivenEvent, workspace: WorkspaceRef) => string | null

/** The parts to write one after another. */
interface Step {
  /** The text that is the same in all bodies. */
  readonly text: string
  /** The same if a value follows: with its name, and with a comma if another member comes before. */
  readonly textFirst: string
  readonly textNext: string
  /** The value; `null`: there is only the text. */
  readonly value: Value | null
  /** What is known only once an event is accepted. */
  readonly hole: Hole | null
  /** Whether members of an object are added, without its braces. */
  readonly isMerged: boolean
  /** Whether a member comes before; `null`: that depends on the event. */
  readonly follows: boolean | null
}

/** Builds the bodies of one service. */
export class Envelope {
  /** The members that the service writes itself where data stands among them: data must not have them. */
  readonly reserved: readonly string[]
  /** `null`: the data is the body. */
  readonly #steps: readonly Step[] | null
  /** What is filled in last, by the place of its value in the parts of a body. */
  readonly #holes: readonly (readonly [place: number, Hole])[]

  constructor({ envelope }: Pick<Profile, 'envelope'>) {
    const root = envelope === 'bare' ? null : treeOf(envelope)
    const holder = root === null ? null : holderOfData(root)
    this.#steps = root === null ? null : new Compiler(root).steps
    this.#holes = (this.#steps ?? []).flatMap(({ hole }, i) => (hole === null ? [] : [[2 * i + 1, hole]]))
    this.reserved = holder === null ? [] : [...holder.children.keys()]
  }

  /**
   * Writes the expensive parts of a body in advance: once ids are assigned, nothing may pause.
   * @param occurredAt Unix ms; `null`: when it is accepted
   * @returns a function that writes the rest
   */
  prepare(event: GivenEvent, workspace: WorkspaceRef, occurredAt: number | null): Compose {
    if (this.#steps === null) {
      const body = JSON.stringify(event.data)
      return () => body
    }
    // Parts are joined once: concatenation builds a tree of strings, which the garbage collector traverses repeatedly.
    const parts: string[] = []
    let follows = false
    for (const step of this.#steps) {
      if (step.follows !== null) follows = step.follows
      const value = step.value === null ? null : step.value(event, workspace)
      const isWritten = value !== null && !(step.isMerged && value === '{}')
      if (isWritten) {
        parts.push(follows ? step.textNext : step.textFirst, step.isMerged ? value.slice(1, -1) : value)
      } else parts.push(step.text, '')
      follows ||= isWritten || step.hole !== null
    }
    return (id, acceptedAt) => {
      for (const [place, hole] of this.#holes) {
        parts[place] = hole.hole === 'id' ? JSON.stringify(id) : TIME_TEXTS[hole.as](occurredAt ?? acceptedAt)
      }
      return parts.join('')
    }
  }
}

export function treeOf(members: readonly EnvelopeMember[]): EnvelopeNode {
  const root = newNode()
  for (const member of members) {
    let node = root
    for (const name of member.path.split('.')) {
      const child = node.children.get(name) ?? newNode()
      node.children.set(name, child)
      node = child
    }
    node.values.push(member)
  }
  return root
}

/** The object to which the members of the data are added; `null`: there is none. */
function holderOfData(node: EnvelopeNode): EnvelopeNode | null {
  if (node.children.size > 0 && node.values.some(({ field }) => field === 'data')) return node
  for (const child of node.children.values()) {
    const found = holderOfData(child)
    if (found !== null) return found
  }
  return null
}

/** Turns the members of the body into steps, so that text that is the same in all events is one string. */
class Compiler {
  readonly steps: Step[] = []
  #text = ''
  /** Whether a member of the object that is written comes before; `null`: that depends on the event. */
  #follows: boolean | null = false

  constructor(root: EnvelopeNode) {
    this.#object(root)
    this.#add({})
  }

  /** @param name before a value that may be missing */
  #add({ value = null, hole = null, isMerged = false }: Partial<Step>, name: string | null = null): void {
    const text = this.#text
    const textFirst = text + (name ?? '')
    const textNext = name === null ? text : `${text},${name}`
    this.steps.push({ text, textFirst, textNext, value, hole, isMerged, follows: this.#follows })
    this.#text = ''
  }

  #object(node: EnvelopeNode): void {
    this.#text += '{'
    this.#follows = false
    for (const [name, child] of node.children) this.#member(name, child)
    for (const merged of node.values) {
      this.#add({ value: jsonOf(merged), isMerged: true }, '')
      this.#follows = this.#follows === true ? true : null
    }
    this.#text += '}'
  }

  #member(name: string, child: EnvelopeNode): void {
    const key = `${JSON.stringify(name)}:`
    const [member] = child.values
    const isObject = child.children.size > 0
    if (!isObject && mayBeMissing(member!)) {
      this.#add({ value: jsonOf(member!) }, key)
      this.#follows = this.#follows === true ? true : null
      return
    }
    // Not known: the comma is a separate step, which writes it only after another member.
    if (this.#follows === null) this.#add({ value: nothing }, '')
    this.#text += (this.#follows === true ? ',' : '') + key
    if (isObject) this.#object(child)
    else if (member!.field === 'id') this.#add({ hole: { hole: 'id' } })
    else if (member!.field === 'time') this.#add({ hole: { hole: 'time', as: member!.as } })
    else if (member!.field === null) this.#text += JSON.stringify(member!.constant)
    else this.#add({ value: jsonOf(member!) })
    this.#follows = true
  }
}

const nothing: Value = () => ''

const mayBeMissing = ({ field, otherwise }: EnvelopeMember): boolean =>
  otherwise === undefined && field !== null && isOwnMember(field)

function jsonOf({ field, constant, otherwise }: EnvelopeMember): Value {
  switch (field) {
    case null: {
      const text = JSON.stringify(constant)
      return () => text
    }
    case 'type':
      return ({ type }) => JSON.stringify(type)
    case 'data':
      return ({ data }) => JSON.stringify(data)
    case 'workspace.id':
      return (_, { publicId }) => JSON.stringify(publicId)
    case 'workspace.slug':
      return (_, { slug }) => JSON.stringify(slug)
    case 'workspace.name':
      return (_, { name }) => JSON.stringify(name)
    default: {
      const missing = otherwise === undefined ? null : JSON.stringify(otherwise)
      return ({ members: { [field]: given } }) => {
        if (given === undefined) return missing
        return given === null ? (missing ?? 'null') : JSON.stringify(given)
      }
    }
  }
}

/** What every envelope can show; other fields are members that publishers send. */
export const COMMON_FIELDS = [
  'id',
  'type',
  'time',
  'data',
  'workspace.id',
  'workspace.slug',
  'workspace.name',
] as const

/** Whether it names a member that publishers send beside the data. */
export const isOwnMember = (field: string): boolean => !(COMMON_FIELDS as readonly string[]).includes(field)
