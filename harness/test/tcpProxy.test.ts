import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TcpProxy } from '../src/support/tcpProxy.ts'
import { eventually } from '../src/support/waiting.ts'

interface Callee {
  readonly server: Server
  readonly port: number
  /** Data received over each connection. */
  readonly heard: string[]
}

const sockets: Socket[] = []
const callees: Callee[] = []
let first: Callee
let proxy: TcpProxy

beforeEach(async () => {
  first = await startCallee('')
  proxy = await TcpProxy.start({ host: '127.0.0.1', port: first.port })
})

afterEach(() => {
  proxy.stop()
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const { server } of callees.splice(0)) server.close()
})

/** Answers every chunk with itself, after a marker. */
async function startCallee(sign: string): Promise<Callee> {
  const heard: string[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    const position = heard.push('') - 1
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      heard[position] += String(chunk)
      socket.write(`${sign}${chunk}`)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const callee = { server, port: (server.address() as AddressInfo).port, heard }
  callees.push(callee)
  return callee
}

interface Call {
  readonly socket: Socket
  /** Data received so far. */
  readonly said: () => string
  /** Of the connection's end; `null` while it is open. */
  readonly end: () => string | null
}

function call(): Call {
  const socket = connect(proxy.port, '127.0.0.1')
  sockets.push(socket)
  let said = ''
  let end: string | null = null
  socket.on('data', (chunk) => {
    said += String(chunk)
  })
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    end = code ?? 'error'
  })
  socket.on('close', () => {
    end ??= 'close'
  })
  return { socket, said: () => said, end: () => end }
}

const hears = (ask: () => string, text: string) =>
  eventually(() => (ask() === text ? true : null), { withinMs: 10_000, what: `"${text}"` })

const ends = ({ end }: Call) => eventually(end, { withinMs: 10_000, what: 'end of the connection' })

test('data arrives in pieces, complete and in order, when it trickles', async () => {
  const callee = await startCallee('.')
  proxy.retarget({ host: '127.0.0.1', port: callee.port })
  proxy.trickle(4)
  const one = call()
  one.socket.write('one by one, two by two')
  const withoutSigns = () => one.said().replaceAll('.', '')
  await hears(withoutSigns, 'one by one, two by two')
  // A marker before each piece; some may have been joined.
  expect(one.said().split('.').length).toBeGreaterThan(2)
  await proxy.heal()
  one.socket.write(' and all at once')
  await hears(withoutSigns, 'one by one, two by two and all at once')
})

test('data and the end pass in both directions and in order', async () => {
  const one = call()
  one.socket.write('a')
  await hears(one.said, 'a')
  proxy.slow(30)
  one.socket.write('b')
  await hears(() => first.heard[0]!, 'ab')
  await proxy.heal()
  one.socket.end('c')
  await hears(one.said, 'abc')
  expect(await ends(one)).toBe('close')
})

test('in silence connections stay open, and data sent in that time arrives after healing', async () => {
  const one = call()
  one.socket.write('a')
  await hears(one.said, 'a')
  proxy.silence('answers')
  one.socket.write('b')
  await hears(() => first.heard[0]!, 'ab')
  proxy.silence('requests', 'answers')
  const another = call()
  await once(another.socket, 'connect')
  another.socket.write('x')
  one.socket.write('c')
  expect([one.said(), first.heard]).toEqual(['a', ['ab']])
  await proxy.heal()
  await hears(one.said, 'abc')
  await hears(another.said, 'x')
})

test('the end of a server in silence is noticed only afterwards', async () => {
  const one = call()
  one.socket.write('a')
  await hears(one.said, 'a')
  proxy.silence('requests', 'answers')
  for (const socket of sockets.slice(1)) socket.resetAndDestroy()
  expect(one.end()).toBeNull()
  await proxy.heal()
  await ends(one)
})

test('connections are reset and rejected, until it is healed', async () => {
  const one = call()
  one.socket.write('a')
  await hears(one.said, 'a')
  proxy.refuse()
  expect(await ends(call())).toBe('ECONNREFUSED')
  one.socket.write('b')
  await hears(one.said, 'ab')
  proxy.reset()
  expect(await ends(one)).toBe('ECONNRESET')
  await proxy.heal()
  const another = call()
  another.socket.write('c')
  await hears(another.said, 'c')
})

test('new connections go to another target, old ones do not', async () => {
  const second = await startCallee('second:')
  const one = call()
  one.socket.write('a')
  await hears(one.said, 'a')
  proxy.retarget({ host: '127.0.0.1', port: second.port })
  const another = call()
  another.socket.write('b')
  await hears(another.said, 'second:b')
  one.socket.write('c')
  await hears(one.said, 'ac')
})
