import { existsSync } from 'node:fs'
import path from 'node:path'
import { fromDebian } from '../support/installed.ts'

const debianPackage = fromDebian('prometheus')

export interface PrometheusPrograms {
  readonly prometheus: string
  readonly promtool: string
}

type Provided =
  | { readonly programs: PrometheusPrograms; readonly missing: null }
  | { readonly programs: null; readonly missing: string }

/**
 * Prometheus and promtool of this machine, or else of Debian's package. Returns what is missing if they are
 * unavailable.
 */
export async function providePrometheus(): Promise<Provided> {
  const there = programsIn('/usr/bin')
  if (there !== null) return { programs: there, missing: null }
  const missing = await debianPackage.provide()
  if (missing !== null) return { programs: null, missing }
  const programs = programsIn(path.join(await debianPackage.home(), 'usr/bin'))
  return programs === null
    ? { programs, missing: "Debian's package prometheus has no prometheus and promtool" }
    : { programs, missing: null }
}

function programsIn(directory: string): PrometheusPrograms | null {
  const [prometheus, promtool] = ['prometheus', 'promtool'].map((name) => path.join(directory, name))
  return existsSync(prometheus!) && existsSync(promtool!)
    ? { prometheus: prometheus!, promtool: promtool! }
    : null
}
