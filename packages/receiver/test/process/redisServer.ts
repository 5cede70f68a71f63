import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { aptInstall, aptPossible, aptUpdate, runCommand } from '../../../../harness/src/support/apt.ts'

const PROGRAM = 'redis-server'

/** @returns `null`: this machine has no Redis, and cannot install it */
export async function startRedis(): Promise<{ readonly url: string; stop(): Promise<void> } | null> {
  if (!isHere() && !install()) return null
  const port = await freePort()
  const flags = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no']
  const server = spawn(PROGRAM, flags, { stdio: ['ignore', 'pipe', 'inherit'] })
  await ready(server)
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      server.kill()
      await once(server, 'exit')
    },
  }
}

const isHere = () => spawnSync(PROGRAM, ['--version']).status === 0

function install(): boolean {
  if (!aptPossible()) return false
  aptUpdate(runCommand)
  aptInstall(runCommand, [PROGRAM])
  return isHere()
}

async function ready(server: ChildProcess): Promise<void> {
  let said = ''
  for await (const chunk of server.stdout!) {
    said += String(chunk)
    if (said.includes('Ready to accept connections')) break
  }
  server.stdout!.resume()
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
