import type { Metric } from './scenario.ts'

const wholeText = (value: number) => Math.round(value).toLocaleString('en')

/** A metric without decimals, with separated thousands. */
export const whole = (heading: string): Metric => ({ heading, show: wholeText })

export const decimals = (heading: string, digits: number): Metric => ({
  heading,
  show: (value) => value.toFixed(digits),
})
