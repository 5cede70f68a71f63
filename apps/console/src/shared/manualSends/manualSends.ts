import type { Features } from '../../model/service.ts'

/** What the limit is on: "tests and redeliveries". */
export function manualSends({ testType, resend }: Pick<Features, 'testType' | 'resend'>): string {
  const resends = resend === null ? [] : [resend.operation === 'replay' ? 'replays' : 'redeliveries']
  return [...(testType === null ? [] : ['tests']), ...resends].join(' and ')
}
