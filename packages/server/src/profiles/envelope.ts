import type { WorkspaceRef } from '../core/dialect.ts'
import { isoTime } from './isoTime.ts'
import type { EnvelopeMember, Profile, TimeForm } from './profile.ts'

/** An event that was found valid. */
export interface GivenEvent {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
  /** Members that publishers send beside the data, by name. */
  readonly members: Readonly<Record<string, unknown>>
}

/** @param occurredAt Unix ms @returns the body that every attempt of every delivery of the event sends */
export type Compose = (id: string, occurredAt: number) => string

/** What is known only once an event is accepted. */
type Hole = { readonly hole: 'id' } | { readonly hole: 'time'; readonly as: TimeForm }

/** A place in the body. */
export interface EnvelopeNode {
  /** What stands here; several where the members of one object are added to others. */
  readonly values: EnvelopeMember[]
  readonly children: Map<string, EnvelopeNode>
}

const newNode = (): EnvelopeNode => ({ values: [], children: new Map() })

const TIME_TEXTS: Readonly<Record<TimeForm, (ms: number) => string>> = {
  'iso-ms': (ms) => `"${isoTime(ms)}"`,
  'unix-s': (ms) => String(Math.floor(ms / 1000)),
  'unix-ms': String,
}

/** Composes the bodies of one service. */
export class Envelope {
  /** The members that the service writes itself where data stands among them: data must not have them. */
  readonly reserved: readonly string[]
  readonly #root: EnvelopeNode | null

  constructor({ envelope }: Pick<Profile, 'envelope'>) {
    this.#root = envelope === 'bare' ? null : treeOf(envelope)
    const holder = this.#root === null ? null : holderOfData(this.#root)
    this.reserved = holder === null ? [] : [...holder.children.keys()]
  }

  /**
   * Writes all of a body that takes long, at once: once ids are taken, nothing may pause.
   * @returns writes the rest
   */
  prepare(event: GivenEvent, workspace: WorkspaceRef): Compose {
    if (this.#root === null) {
      const body = JSON.stringify(event.data)
      return () => body
    }
    const writer = new Writer(event, workspace)
    writer.object(this.#root)
    const { parts, text } = writer
    return (id, occurredAt) => {
      let body = ''
      for (const { before, hole } of parts)
        body += before + (hole.hole === 'id' ? JSON.stringify(id) : TIME_TEXTS[hole.as](occurredAt))
      return body + text
    }
  }
}

/** The members of a body by their paths. */
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

class Writer {
  readonly parts: { readonly before: string; readonly hole: Hole }[] = []
  /** After the last hole. */
  text = ''
  readonly #event: GivenEvent
  readonly #workspace: WorkspaceRef

  constructor(event: GivenEvent, workspace: WorkspaceRef) {
    this.#event = event
    this.#workspace = workspace
  }

  object(node: EnvelopeNode): void {
    this.text += '{'
    let first = true
    const begin = () => {
      if (!first) this.text += ','
      first = false
    }
    for (const [name, child] of node.children) {
      if (child.children.size === 0 && !this.#has(child.values[0]!)) continue
      begin()
      this.text += `${JSON.stringify(name)}:`
      if (child.children.size > 0) this.object(child)
      else this.#value(child.values[0]!)
    }
    for (const value of node.values) {
      const members = JSON.stringify(this.#valueOf(value)).slice(1, -1)
      if (members === '') continue
      begin()
      this.text += members
    }
    this.text += '}'
  }

  #value(member: EnvelopeMember): void {
    if (member.field === 'id') this.#hole({ hole: 'id' })
    else if (member.field === 'time') this.#hole({ hole: 'time', as: member.as })
    else this.text += JSON.stringify(this.#valueOf(member))
  }

  #hole(hole: Hole): void {
    this.parts.push({ before: this.text, hole })
    this.text = ''
  }

  #has({ field, otherwise }: EnvelopeMember): boolean {
    const { members } = this.#event
    return otherwise !== undefined || field === null || !isOwnMember(field) || members[field] !== undefined
  }

  #valueOf({ field, constant, otherwise }: EnvelopeMember): unknown {
    const workspace = this.#workspace
    switch (field) {
      case null:
        return constant
      case 'type':
        return this.#event.type
      case 'data':
        return this.#event.data
      case 'workspace.id':
        return workspace.publicId
      case 'workspace.slug':
        return workspace.slug
      case 'workspace.name':
        return workspace.name
      default:
        return this.#event.members[field] ?? otherwise ?? null
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
