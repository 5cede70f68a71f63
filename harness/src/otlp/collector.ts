import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

/** One export request, as it arrived. */
export interface ExportRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Protobuf. */
  readonly body: Buffer
}

/** Takes what is exported by OTLP over HTTP, and answers as an OpenTelemetry collector does that takes all of it. */
export class Collector {
  readonly requests: ExportRequest[] = []
  /** Of its answers. */
  status = 200
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const sent = Buffer.concat(chunks)
        const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
        this.requests.push({ path: request.url ?? '', headers: request.headers, body })
        // An empty message says that nothing was rejected.
        response.writeHead(this.status, { 'content-type': 'application/x-protobuf' }).end()
      })
    })
  }

  static async start(): Promise<Collector> {
    const collector = new Collector()
    await new Promise<void>((resolve) => {
      collector.#server.listen(0, '127.0.0.1', resolve)
    })
    return collector
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
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
}
