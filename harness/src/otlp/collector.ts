import { createServer, type Server, type ServerResponse } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { freePort } from '../support/freePort.ts'
import { countSpans } from './countSpans.ts'

/** One export request, as it arrived. */
export interface ExportRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Protobuf. */
  readonly body: Buffer
}

interface CollectorOptions {
  /** Whether requests stay in {@link Collector.requests}; true by default. */
  readonly keep?: boolean
}

/** Accepts OTLP exports over HTTP, and answers like an OpenTelemetry collector that accepts all of them. */
export class Collector {
  readonly requests: ExportRequest[] = []
  /** Of its answers. */
  status = 200
  /** Whether its answers arrive slowly and never end. */
  trickles = false
  /** Exports that were answered with a 2xx status. */
  exports = { traces: 0, metrics: 0 }
  /** In the trace exports answered with a 2xx status. */
  spans = 0
  readonly #port: number
  readonly #keep: boolean
  #server: Server

  private constructor(port: number, { keep = true }: CollectorOptions) {
    this.#port = port
    this.#keep = keep
    this.#server = this.#makeServer()
  }

  static async start(options: CollectorOptions = {}): Promise<Collector> {
    const collector = new Collector(await freePort(), options)
    await collector.#listen()
    return collector
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** The requests for one signal. */
  of(signal: 'traces' | 'metrics'): readonly ExportRequest[] {
    return this.requests.filter(({ path }) => path === `/v1/${signal}`)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => {
      this.#server.close(resolve)
    })
  }

  /** Listens again on the same port after a stop. */
  async restart(): Promise<void> {
    this.#server = this.#makeServer()
    await this.#listen()
  }

  #listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject).listen(this.#port, '127.0.0.1', resolve)
    })
  }

  #makeServer(): Server {
    return createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const sent = Buffer.concat(chunks)
        const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
        this.#take({ path: request.url ?? '', headers: request.headers, body })
        if (this.trickles) return void trickle(response)
        // An empty message says that nothing was rejected.
        response.writeHead(this.status, { 'content-type': 'application/x-protobuf' }).end()
      })
    })
  }

  #take(request: ExportRequest): void {
    if (this.#keep) this.requests.push(request)
    if (this.status >= 300) return
    if (request.path === '/v1/metrics') this.exports.metrics++
    if (request.path !== '/v1/traces') return
    this.exports.traces++
    this.spans += countSpans(request.body)
  }
}

function trickle(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': 100_000 })
  const timer = setInterval(() => response.write('x'), 100)
  response.on('close', () => clearInterval(timer))
}
