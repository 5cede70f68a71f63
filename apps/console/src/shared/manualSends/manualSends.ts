import type { Features } from '../../model/service.ts'

type Sends = Pick<Features, 'canTest' | 'resend' | 'canRetry' | 'canRecover'>

const LISTS = new Intl.ListFormat('en-GB')

/** The kinds of manual sends: "tests, redeliveries, retries and recoveries". */
export function manualSends({ canTest, resend, canRetry, canRecover }: Sends): string {
  const resends = resend === null ? [] : [resend.operation === 'replay' ? 'replays' : 'redeliveries']
  return LISTS.format([
    ...(canTest ? ['tests'] : []),
    ...resends,
    ...(canRetry ? ['retries'] : []),
    ...(canRecover ? ['recoveries'] : []),
  ])
}
