import { createSocket, type RemoteInfo } from 'node:dgram'
import { EventEmitter, once } from 'node:events'
import { isIPv4 } from 'node:net'

type RecordType = 'A' | 'AAAA'

export interface DnsQuestion {
  readonly name: string
  readonly type: RecordType
}

/**
 * Header flags in addition to those of every response, with the response code in the lowest four bits (RFC
 * 1035 section 4.1.1).
 */
export const FLAGS = {
  formErr: 1,
  servFail: 2,
  nxDomain: 3,
  notImp: 4,
  refused: 5,
  truncated: 0x0200,
} as const

/**
 * The answer to one query: addresses of its type (none: ENODATA), flags, raw bytes, or nothing. A `cname`
 * comes before the addresses, which then belong to it.
 */
export type DnsAnswer =
  | readonly string[]
  | { readonly flags: number }
  | { readonly cname: string; readonly addresses: readonly string[] }
  | { readonly bytes: (id: Buffer, question: Buffer) => Buffer }
  | 'silence'

/** A name server on 127.0.0.1, only over UDP. */
export interface DnsServer {
  /** As `Resolver.setServers` takes it. */
  readonly address: string
  /** Every query so far, one for each datagram. */
  readonly questions: readonly DnsQuestion[]
  /** Resolves once this many queries for this name and type have arrived. */
  asked(name: string, type?: RecordType, times?: number): Promise<void>
  close(): Promise<void>
}

/** @param port any free one by default */
export async function serveDns(
  answerTo: (question: DnsQuestion) => DnsAnswer | Promise<DnsAnswer>,
  port = 0,
): Promise<DnsServer> {
  const questions: DnsQuestion[] = []
  const arrivals = new EventEmitter()
  arrivals.setMaxListeners(0)
  const socket = createSocket('udp4')
  let isOpen = true
  const receive = async (message: Buffer, from: RemoteInfo): Promise<void> => {
    const { question, bytes } = readQuestion(message)
    questions.push(question)
    arrivals.emit('question')
    const response = respond(message.subarray(0, 2), bytes, await answerTo(question))
    if (response !== null && isOpen) socket.send(response, from.port, from.address)
  }
  socket.on('message', (message, from) => void receive(message, from))
  socket.bind(port, '127.0.0.1')
  await once(socket, 'listening')
  const count = (name: string, type: RecordType): number =>
    questions.filter((question) => question.name === name && question.type === type).length
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    asked: async (name, type = 'A', times = 1) => {
      while (count(name, type) < times) await once(arrivals, 'question')
    },
    close: async () => {
      if (!isOpen) return
      isOpen = false
      socket.close()
      await once(socket, 'close')
    },
  }
}

const HEADER_BYTES = 12
const TYPES: Readonly<Record<RecordType, number>> = { A: 1, AAAA: 28 }
const CNAME = 5

function readQuestion(message: Buffer): { question: DnsQuestion; bytes: Buffer } {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const type = message.readUInt16BE(at + 1) === TYPES.A ? 'A' : 'AAAA'
  return { question: { name: labels.join('.'), type }, bytes: message.subarray(HEADER_BYTES, at + 5) }
}

function respond(id: Buffer, question: Buffer, answer: DnsAnswer): Buffer | null {
  if (answer === 'silence') return null
  if ('bytes' in answer) return answer.bytes(id, question)
  if ('flags' in answer) return responseOf(id, question, answer.flags, [])
  if (!('cname' in answer))
    return responseOf(
      id,
      question,
      0,
      answer.map((each) => record(ASKED, each)),
    )
  const alias = nameOf(answer.cname)
  const records = answer.addresses.map((each) => record(alias, each))
  return responseOf(id, question, 0, [recordOf(ASKED, CNAME, alias), ...records])
}

function responseOf(id: Buffer, question: Buffer, flags: number, records: readonly Buffer[]): Buffer {
  // A response, with recursion desired and available; one question, and only answer records.
  const counts = [0x8180 | flags, 1, records.length, 0, 0].map(uint16)
  return Buffer.concat([id, ...counts, question, ...records])
}

/** A pointer to the name in the question. */
const ASKED = Buffer.of(0xc0, HEADER_BYTES)

function record(owner: Buffer, address: string): Buffer {
  return isIPv4(address)
    ? recordOf(owner, TYPES.A, Buffer.from(address.split('.').map(Number)))
    : recordOf(owner, TYPES.AAAA, ipv6Bytes(address))
}

/** In class IN, with a TTL of an hour: callers that query again within a test do not cache. */
function recordOf(owner: Buffer, type: number, data: Buffer): Buffer {
  return Buffer.concat([owner, uint16(type), uint16(1), uint16(0), uint16(3600), uint16(data.length), data])
}

function ipv6Bytes(address: string): Buffer {
  const [head = [], tail = []] = address.split('::').map((half) => half.split(':').filter(Boolean))
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
  return Buffer.concat(groups.map((group) => uint16(Number.parseInt(group, 16))))
}

function nameOf(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label, 'latin1')]))
  return Buffer.concat([...labels, Buffer.of(0)])
}

function uint16(value: number): Buffer {
  return Buffer.of(value >> 8, value & 0xff)
}

/** Header of a response after its id: no error, one question, one answer. */
const ONE_ANSWER = Buffer.from('81800001000100000000', 'hex')
/** In class IN, for a minute: A 8.8.8.8, without its owner. */
const A_RECORD = Buffer.from('000100010000003c000408080808', 'hex')
const OVERLONG_RECORD = Buffer.from('000100010000003c004008080808', 'hex')
/** x.net, A, IN */
const OTHER_QUESTION = Buffer.from('0178036e65740000010001', 'hex')

const raw = (bytes: (id: Buffer, question: Buffer) => readonly Buffer[]): DnsAnswer => ({
  bytes: (id, question) => Buffer.concat(bytes(id, question)),
})

/** Invalid answers of a broken server or of an attacker. */
export const NO_ANSWERS: readonly (readonly [what: string, answer: DnsAnswer])[] = [
  ['truncated, with nothing behind TCP', { flags: FLAGS.truncated }],
  ['a few bytes', raw((id) => [id, Buffer.of(0x81)])],
  ['noise', raw((id) => [id, Buffer.alloc(300, 0xa5)])],
  [
    'a record that runs past the end',
    raw((id, question) => [id, ONE_ANSWER, question, ASKED, OVERLONG_RECORD]),
  ],
  [
    'a name that points to itself',
    raw((id, question) => [
      id,
      ONE_ANSWER,
      question,
      Buffer.of(0xc0, HEADER_BYTES + question.length),
      A_RECORD,
    ]),
  ],
  ['the answer to another question', raw((id) => [id, ONE_ANSWER, OTHER_QUESTION, ASKED, A_RECORD])],
  [
    "the answer under another question's number",
    raw((id, question) => [Buffer.of(id[0]! ^ 1, id[1]!), ONE_ANSWER, question, ASKED, A_RECORD]),
  ],
]
