import net from 'node:net'

/** Below the system's ephemeral ports, so that no other program takes one while its node is down. */
const FIRST_PORT = 21_000
const LAST_PORT = 31_000
/** Runs that start together have neighboring process ids and must not pick the same ports. */
const APART = 101

/** Unused ports of this machine. */
export async function freePorts(count: number): Promise<number[]> {
  const free: number[] = []
  const start = FIRST_PORT + ((process.pid * APART) % (LAST_PORT - FIRST_PORT))
  for (let port = start; free.length < count; port++) {
    if (port > LAST_PORT) throw new Error('no free ports are left')
    if (await isFree(port)) free.push(port)
  }
  return free
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
