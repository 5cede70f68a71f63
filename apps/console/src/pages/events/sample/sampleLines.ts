import { counted } from '../../../model/numbers.ts'
import type { PathStep } from './fieldPath.ts'

/** One field of a body, or one item of a list in it. */
export interface SampleLine {
  readonly steps: readonly PathStep[]
  readonly name: string
  /** 0 for what stands in the body itself. */
  readonly depth: number
  /** As JSON writes it; of objects and lists, how much is in them. */
  readonly value: string
  readonly kind: 'text' | 'other' | 'holder'
}

/** A body line by line, what holds others before them. */
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
