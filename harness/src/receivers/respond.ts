import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Answer } from './behavior.ts'

const DRIP_EVERY_MS = 150
const HUGE_BYTES = 2 * 1024 * 1024

/**
 * Answers, honestly or not.
 * @param onStatus called when a status line was sent without `response`
 */
export function respond(answer: Answer, response: ServerResponse, onStatus: () => void): void {
  if (answer.delayMs > 0) setTimeout(() => give(answer, response, onStatus), answer.delayMs)
  else give(answer, response, onStatus)
}

function give(answer: Answer, response: ServerResponse, onStatus: () => void): void {
  const { status, headers } = answer
  const { socket } = response
  // The sender may have gone before the answer was due.
  if (socket === null || socket.destroyed) return
  const head = (length: number) => `HTTP/1.1 ${status} OK\r\nContent-Length: ${length}\r\n\r\n`
  const write = (text: string, then: () => void) => {
    socket.write(text, () => {
      onStatus()
      then()
    })
  }
  switch (answer.trick) {
    case null:
      // With an explicit header, Node sends no keep-alive timeout; senders then use their own short one.
      response.writeHead(status, { connection: 'keep-alive', ...headers }).end()
      return
    case 'interim':
      response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' })
      response.writeHead(status).end('ok')
      return
    case 'hugeBody':
      response.writeHead(status).end('x'.repeat(HUGE_BYTES))
      return
    case 'silence':
      return
    case 'hangUp':
      reset(socket)
      return
    case 'garbage':
      socket.end('I AM NOT HTTP\r\n\r\n')
      return
    case 'dripHead':
      drip(socket, `HTTP/1.1 ${status} OK\r\nX-Slow: ${'z'.repeat(64)}\r\n\r\n`)
      return
    case 'dripBody':
      write(head(64), () => drip(socket, 'z'.repeat(64)))
      return
    case 'resetAfterHead':
      write(head(64), () => reset(socket))
      return
    case 'shortBody':
      write(`${head(64)}short`, () => socket.end())
      return
    case 'longBody':
      write(`${head(2)}ok, and more than was said`, () => socket.end())
      return
  }
}

function reset(socket: Socket): void {
  // TLS has no reset, and the socket below it is not accessible.
  if (socket instanceof TLSSocket) socket.destroy()
  else socket.resetAndDestroy()
}

function drip(socket: Socket, text: string): void {
  let sent = 0
  const timer = setInterval(() => {
    if (socket.destroyed || sent === text.length) clearInterval(timer)
    else socket.write(text[sent++]!)
  }, DRIP_EVERY_MS)
  socket.once('close', () => clearInterval(timer))
}
