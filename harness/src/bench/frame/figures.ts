import type { Figure } from './scenario.ts'

const wholeText = (value: number) => Math.round(value).toLocaleString('en')

/** A figure without decimals, with separated thousands. */
export const whole = (heading: string): Figure => ({ heading, show: wholeText })

export const decimals = (heading: string, digits: number): Figure => ({
  heading,
  show: (value) => value.toFixed(digits),
})
