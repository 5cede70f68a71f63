import type { Features } from '../../model/service.ts'

type Sends = Pick<Features, 'testType' | 'resend' | 'canRetry' | 'canRecover'>

const LISTS = new Intl.ListFormat('en-GB')

/** What the limit is on: "tests, redeliveries, retries and recoveries". */
export function manualSends({ testType, resend, canRetry, canRecover }: Sends): string {
  const resends = resend === null ? [] : [resend.operation === 'replay' ? 'replays' : 'redeliveries']
  return LISTS.format([
    ...(testType === null ? [] : ['tests']),
    ...resends,
    ...(canRetry ? ['retries'] : []),
    ...(canRecover ? ['recoveries'] : []),
  ])
}
