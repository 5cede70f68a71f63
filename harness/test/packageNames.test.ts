import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { projectFiles, ROOT } from '../src/markdown/files.ts'

const READ = /\.(md|tsx?|js|json|ya?ml|sh|py|html)$/
/** A package manager command that installs a package of this project from a registry. */
const INSTALLS = /\b(?:npm|pnpm|yarn|bun|npx|deno|bunx|pip)\b[^\n`'"]*\s(?:npm:)?@?posthorn\/\w+/g
/** `npm pack`, `npm run` and `npx vitest` use the checkout. */
const IN_CHECKOUT = /^(?:npm (?:pack|run|publish)|npx (?:vitest|vite|tsx))\b|--workspace/

const installsIn = (text: string): string[] =>
  [...text.matchAll(INSTALLS)].map(([found]) => found).filter((found) => !IN_CHECKOUT.test(found))

test('no page, snippet or message installs a package of this project from a registry, since none has it', () => {
  const files = projectFiles().filter(
    (name) => READ.test(name) && name !== 'harness/test/packageNames.test.ts',
  )
  expect(files.length).toBeGreaterThan(1_000)
  const found = files.flatMap((name) =>
    installsIn(readFileSync(path.join(ROOT, name), 'utf8')).map((command) => ({ name, command })),
  )
  expect(found).toEqual([])
})

test('finds such commands', () => {
  expect(installsIn('npm install @posthorn/receiver')).toHaveLength(1)
  expect(installsIn('yarn add --dev @posthorn/client')).toHaveLength(1)
  expect(installsIn("install: 'npm i @posthorn/receiver@1',")).toHaveLength(1)
  expect(installsIn('npm pack --workspace @posthorn/receiver')).toEqual([])
  expect(installsIn('npm install https://hooks.example/downloads/posthorn-receiver.tgz')).toEqual([])
})
