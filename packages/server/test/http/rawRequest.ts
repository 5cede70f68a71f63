import { once } from 'node:events'
import { connect } from 'node:net'
import type { TestService } from './service.ts'

export interface RawAnswer {
  readonly head: string
  readonly body: string
}

/** Sends bytes unchanged, and reads until the service closes the connection: a request must ask for that. */
export async function sendRaw({ base }: TestService, text: string): Promise<RawAnswer> {
  const socket = connect(Number(new URL(base).port), '127.0.0.1')
  socket.write(text)
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(socket, 'close')
  const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n')
  return { head, body }
}
