/** The text of a service's `/metrics`. */
export class MetricsText {
  readonly #lines: readonly string[]

  constructor(text: string) {
    this.#lines = text.split('\n')
  }

  /**
   * The sum of a metric's samples with this label, such as `type="Timeout"`; without a label, of all its
   * samples.
   */
  sum(name: string, label = ''): number {
    return this.#lines
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .filter((line) => line.includes(label))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
  }
}

export const readMetrics = async (url: string): Promise<MetricsText> =>
  new MetricsText(await (await fetch(`${url}/metrics`)).text())
