import type { TSchema } from 'typebox'
import { expect, test } from 'vitest'
import { type Chosen, choose } from '../../../src/cli/support/choose.ts'
import { STATUS_CHOSEN } from '../../../src/cli/support/served.ts'
import { StatusSchema } from '../../../src/http/admin/status/schema.ts'

test('includes only the named members', () => {
  const chosen = { a: true, b: [{ c: true }], d: { e: true }, f: true } as const
  expect(choose(chosen, { a: 1, b: [{ c: null, name: 'Acme' }], d: null, f: 'x', name: 'Acme' })).toEqual({
    a: 1,
    b: [{ c: null }],
    d: null,
    f: 'x',
  })
})

test('a value with an unexpected shape is left out', () => {
  const chosen = { a: true, b: [true], c: { d: true } } as const
  const value = { a: { name: 'Acme' }, b: 'Acme', c: ['Acme'] }
  expect(JSON.stringify(choose(chosen, value))).toBe('{}')
})

/** @returns paths of all plain values */
function pathsOf(schema: TSchema, path = ''): string[] {
  const { anyOf, properties, items } = schema as {
    anyOf?: TSchema[]
    properties?: Record<string, TSchema>
    items?: TSchema
  }
  if (anyOf !== undefined) return [...new Set(anyOf.flatMap((one) => pathsOf(one, path)))]
  if (items !== undefined) return pathsOf(items, `${path}[]`)
  if (properties !== undefined)
    return Object.entries(properties).flatMap(([name, inner]) => pathsOf(inner, `${path}.${name}`))
  return (schema as { type?: string }).type === 'null' ? [] : [path]
}

function chosenPaths(chosen: Chosen, path = ''): string[] {
  if (chosen === true) return [path]
  if (Array.isArray(chosen)) return chosenPaths(chosen[0], `${path}[]`)
  return Object.entries(chosen).flatMap(([name, inner]) => chosenPaths(inner, `${path}.${name}`))
}

/** A new member of the status belongs either here or into STATUS_CHOSEN. */
const LEFT_OUT = ['.failing_workspaces[].workspace.slug', '.failing_workspaces[].workspace.name']

test('of the status, everything is included except the names of workspaces', () => {
  const all = pathsOf(StatusSchema).sort()
  expect(all.length).toBeGreaterThan(40)
  expect([...chosenPaths(STATUS_CHOSEN), ...LEFT_OUT].sort()).toEqual(all)
})
