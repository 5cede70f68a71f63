import type { Catalog } from '../../packages/server/src/core/catalog.ts'
import { differences, type Shape, shapeOf } from '../../packages/server/src/profiles/shape.ts'

/** Shapes by service and event type. */
export type Shapes = Readonly<Record<string, Readonly<Record<string, Shape>>>>

/** Services with versioned types: their published shapes never change; a changed shape is another type. */
const FROZEN = ['ads']

/** The current shapes of the catalogs. */
export const shapesOf = (catalogs: Readonly<Record<string, Catalog>>): Shapes =>
  mapValues(catalogs, (catalog) =>
    Object.fromEntries([...catalog].map(([name, type]) => [name, shapeOf(type)])),
  )

/** Incompatible changes of published shapes. */
export interface Breaches {
  /** Changes that no rewritten lock allows. */
  readonly forbidden: readonly string[]
  /** Changes that a rewritten lock confirms as intended. */
  readonly unconfirmed: readonly string[]
}

/** Compares the catalogs with the lock. New types are compatible. */
export function breachesOf(locked: Shapes, now: Shapes): Breaches {
  const forbidden: string[] = []
  const unconfirmed: string[] = []
  for (const [service, types] of Object.entries(locked)) {
    for (const [type, known] of Object.entries(types)) {
      const shape = now[service]?.[type]
      if (shape === undefined) {
        forbidden.push(`${service}: ${type} is gone; receivers wait for it, so a published type stays.`)
        continue
      }
      const changes = differences(known, shape)
      if (changes.length === 0) continue
      const what = `${service}: ${type} has another shape: ${changes.join('; ')}.`
      if (FROZEN.includes(service))
        forbidden.push(`${what} Take it back, and publish it as ${successor(type)}.`)
      else unconfirmed.push(`${what} If no receiver can trip over it, run \`npm run catalog\`.`)
    }
  }
  return { forbidden, unconfirmed }
}

const successor = (type: string) => type.replace(/\d+$/, (version) => String(Number(version) + 1))

const mapValues = <From, To>(record: Readonly<Record<string, From>>, change: (value: From) => To) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
