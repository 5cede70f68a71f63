import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { adsCatalog, contentCatalog } from '../../packages/server/src/profiles/builtIn.ts'
import { breachesOf, type Shapes, shapesOf } from './lock.ts'

export const LOCK_FILE = path.join(import.meta.dirname, '../../packages/server/catalog.lock.json')

export const presentShapes = (): Shapes => shapesOf({ content: contentCatalog, ads: adsCatalog })

/**
 * Compares shapes with the lock in a file.
 * @returns incompatible changes; empty when there are none
 * @throws Error when there is no lock: a new one would accept every changed shape
 */
export function checkLock(file: string, shapes: Shapes): readonly string[] {
  const { forbidden, unconfirmed } = breachesOf(read(file), shapes)
  return [...forbidden, ...unconfirmed]
}

/**
 * Locks new types, and new shapes of types that may change.
 * @returns forbidden changes; then the file stays as it is
 */
export function rewriteLock(file: string, shapes: Shapes): readonly string[] {
  const { forbidden } = breachesOf(read(file), shapes)
  if (forbidden.length === 0) writeFileSync(file, `${JSON.stringify(shapes, null, 2)}\n`)
  return forbidden
}

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Shapes
