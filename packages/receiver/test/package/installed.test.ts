import { afterAll, beforeAll, expect, test } from 'vitest'
import { EmptyProject, ENTRIES, program } from './emptyProject.ts'

const project = new EmptyProject()
const HANDLED = 'invoice.paid invoice.paid invoice.paid'

beforeAll(() => project.install())
afterAll(() => project.remove())

test('the packed package works as an ES module and as CommonJS', async () => {
  project.write('module.mjs', program('import'))
  project.write('common.cjs', program('require'))
  expect(await project.run(process.execPath, ['module.mjs'])).toBe(HANDLED)
  expect(await project.run(process.execPath, ['common.cjs'])).toBe(HANDLED)
})

test('its types are found and correct in any kind of module, without skipLibCheck', async () => {
  const imports = Object.entries(ENTRIES).map(
    (
      [entry, names],
      i,
    ) => `import { ${names.map((name) => `${name} as ${name}${i}`).join(', ')} } from '@posthorn/receiver${entry}'
void [${names.map((name) => `${name}${i}`).join(', ')}]`,
  )
  const text = `${imports.join('\n')}
import type { ContentEvent } from '@posthorn/receiver'
// @ts-expect-error: a secret is needed
export const unsafe = () => createReceiver0({ scheme: 'standard' })
export async function handle(request: Request): Promise<string> {
  const receiver = createReceiver0({ scheme: 'standard', secrets: 'x' })
  const { event } = await receiver.verify(request)
  const narrowed: ContentEvent = event
  return narrowed.type === 'version.approved' ? narrowed.data.version_id : ''
}
`
  project.write('typed.mts', text)
  project.write('typed.cts', text)
  expect(await project.typecheck(['typed.mts', 'typed.cts'])).toBe('')
}, 180_000)
