import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from '../support/installed.ts'

/** The published package; `npm run build` creates it. */
const RECEIVER = fileURLToPath(new URL('../../../packages/receiver', import.meta.url))

/** Builds an application of Next.js with a route handler and an API route. @returns the command that starts it */
export async function prepareNext(home: string, programs: string, port: number): Promise<readonly string[]> {
  cpSync(path.join(programs, 'next'), home, { recursive: true })
  const receiver = path.join(home, 'node_modules/@posthorn/receiver')
  rmSync(receiver, { recursive: true, force: true })
  for (const part of ['package.json', 'dist'])
    cpSync(path.join(RECEIVER, part), path.join(receiver, part), { recursive: true })
  const next = path.join(home, 'node_modules/next/dist/bin/next')
  await build(process.execPath, [next, 'build'], home)
  return [process.execPath, next, 'start', home, '--hostname', '127.0.0.1', '--port', String(port)]
}

/** Writes the configuration of a Worker. @returns the command that starts it */
export function prepareWorker(
  home: string,
  programs: string,
  { directory, port }: { readonly directory: string; readonly port: number },
): readonly string[] {
  cpSync(path.join(programs, 'worker'), directory, { recursive: true })
  const receiver = path.join(directory, 'receiver')
  cpSync(path.join(RECEIVER, 'dist'), receiver, { recursive: true })
  const files = readdirSync(receiver, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.js'),
  )
  const modules = ['worker.js', ...files.map((file) => `receiver/${file}`)]
  const config = path.join(directory, 'worker.capnp')
  writeFileSync(config, configOf(modules, port))
  return [path.join(home, 'node_modules/.bin/workerd'), 'serve', config]
}

const configOf = (
  modules: readonly string[],
  port: number,
) => `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [${modules.map((name) => `(name = "${name}", esModule = embed "${name}")`).join(', ')}],
  bindings = [(name = "WEBHOOK_SECRET", fromEnvironment = "WEBHOOK_SECRET")],
  compatibilityDate = "2026-01-01",
);
`
