import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { killAtExit } from '../support/children.ts'
import { freePort } from '../support/freePort.ts'
import { eventually } from '../support/waiting.ts'
import type { PrometheusPrograms } from './install.ts'

const START_WITHIN_MS = 20_000

interface Alert {
  readonly labels: Readonly<Record<string, string>>
  readonly state: 'pending' | 'firing'
}

interface Sample {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [number, string]
}

/** A Prometheus on the loopback interface that scrapes and evaluates twice a second. */
export class PrometheusServer {
  readonly #child: ChildProcess
  readonly #url: string

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.#url = `http://127.0.0.1:${port}`
  }

  /** @param targets to scrape as the job `posthorn`, as `host:port` */
  static async start(params: {
    readonly programs: PrometheusPrograms
    readonly directory: string
    readonly rulesFile: string
    readonly targets: readonly string[]
  }): Promise<PrometheusServer> {
    const { programs, directory, rulesFile, targets } = params
    const port = await freePort()
    const configFile = path.join(directory, 'prometheus.json')
    // JSON is valid YAML.
    writeFileSync(
      configFile,
      JSON.stringify({
        global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms' },
        rule_files: [rulesFile],
        scrape_configs: [{ job_name: 'posthorn', static_configs: [{ targets }] }],
      }),
    )
    const args = [
      `--config.file=${configFile}`,
      `--storage.tsdb.path=${path.join(directory, 'prometheus')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ]
    const child = killAtExit(spawn(programs.prometheus, args, { cwd: directory, stdio: 'ignore' }))
    const server = new PrometheusServer(child, port)
    await eventually(
      async () => {
        if (child.exitCode !== null) throw new Error(`Prometheus ended with ${child.exitCode}`)
        const response = await fetch(`${server.#url}/-/ready`).catch(() => null)
        return response?.ok ? true : null
      },
      { withinMs: START_WITHIN_MS, everyMs: 100, what: 'start of Prometheus' },
    )
    return server
  }

  /** The names of all firing alerts. */
  async firing(): Promise<ReadonlySet<string>> {
    const { alerts } = await this.#get<{ alerts: readonly Alert[] }>('/api/v1/alerts')
    return new Set(alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname!))
  }

  async query(query: string): Promise<readonly Sample[]> {
    const { result } = await this.#get<{ result: readonly Sample[] }>(
      `/api/v1/query?query=${encodeURIComponent(query)}`,
    )
    return result
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill('SIGKILL')
    await ended
  }

  async #get<Data>(pathAndQuery: string): Promise<Data> {
    const response = await fetch(this.#url + pathAndQuery)
    const { status, data, error } = (await response.json()) as { status: string; data: Data; error?: string }
    if (status !== 'success') throw new Error(`${pathAndQuery}: ${error}`)
    return data
  }
}
