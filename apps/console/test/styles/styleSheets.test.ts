import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { neededSheets } from './neededSheets.ts'

const SOURCES = fileURLToPath(new URL('../../src', import.meta.url))
/** Style sheets for the page as a whole. */
const FOR_ALL = ['baseline', 'global']

const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => readFileSync(path.join(SOURCES, name), 'utf8'))
const imported = new Set(
  sources.flatMap((source) =>
    [...source.matchAll(/^import '@mantine\/core\/styles\/([\w-]+)\.css'$/gm)].map(([, sheet = '']) => sheet),
  ),
)

describe('style sheets of the component library', () => {
  it('are imported for every component in use', () => {
    const missing = [...neededSheets(sources)].filter(([sheet]) => !imported.has(sheet))
    expect(missing.map(([sheet, component]) => `${sheet}.css, for ${component}`)).toEqual([])
  })

  it('are imported only for components in use', () => {
    const needed = new Set([...FOR_ALL, ...neededSheets(sources).keys()])
    expect([...imported].filter((sheet) => !needed.has(sheet))).toEqual([])
  })

  it('are found for components, their bases, and their used parts', () => {
    const of = (names: string, use = '') => [
      ...neededSheets([`import { ${names} } from '@mantine/core'\n${use}`]).keys(),
    ]
    expect(of('Text').sort()).toEqual(['Text'])
    expect(of('PasswordInput')).toEqual(
      expect.arrayContaining(['PasswordInput', 'Input', 'ActionIcon', 'UnstyledButton']),
    )
    expect(of('Card')).toEqual(expect.arrayContaining(['Card', 'Paper']))
    expect(of('Checkbox')).not.toContain('CheckboxCard')
    expect(of('Checkbox', '<Checkbox.Card />')).toContain('CheckboxCard')
    expect([...neededSheets(["import { Notifications } from '@mantine/notifications'"]).keys()]).toContain(
      'Notification',
    )
  })
})
