import { counted } from '../../../model/numbers.ts'
import type { PathStep } from './fieldPath.ts'

/** A field of a body, or an item of a list in it. */
export interface SampleLine {
  readonly steps: readonly PathStep[]
  readonly name: string
  /** 0 at the top level. */
  readonly depth: number
  /** JSON text, or the size of an object or list. */
  readonly value: string
  readonly kind: 'text' | 'other' | 'holder'
}

/** The lines of a body, containers before their content. */
export function sampleLines(body: unknown, steps: readonly PathStep[] = []): readonly SampleLine[] {
  if (typeof body !== 'object' || body === null) return []
  const entries: [PathStep, unknown][] = Array.isArray(body) ? [...body.entries()] : Object.entries(body)
  return entries.flatMap(([step, value]) => {
    const path = [...steps, step]
    const line: SampleLine = {
      steps: path,
      name: typeof step === 'number' ? `[${step}]` : step,
      depth: steps.length,
      value: valueText(value),
      kind: kindOf(value),
    }
    return [line, ...sampleLines(value, path)]
  })
}

function kindOf(value: unknown): SampleLine['kind'] {
  if (typeof value === 'object' && value !== null) return 'holder'
  return typeof value === 'string' ? 'text' : 'other'
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return sizeText(value.length, 'item')
  if (typeof value === 'object' && value !== null) return sizeText(Object.keys(value).length, 'field')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const sizeText = (count: number, noun: string) => (count === 0 ? 'empty' : counted(count, noun))
