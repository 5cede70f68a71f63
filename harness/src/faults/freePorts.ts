import net from 'node:net'

/** Below those that a system hands out by itself, so that nobody takes one while its node is down. */
const FIRST_PORT = 21_000
const LAST_PORT = 31_000
/** Runs that begin at once have neighbouring process ids and must not reach for the same ports. */
const APART = 101

/** Ports of this machine that nobody listens on. */
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
