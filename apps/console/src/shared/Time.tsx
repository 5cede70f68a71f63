import { Tooltip } from '@mantine/core'
import { fullTime, relativeTime, secondsText, shortTime, utcTime } from './time.ts'
import { useNow } from './useNow.ts'

const SHOWN = {
  full: (at: string) => fullTime(at),
  short: shortTime,
  relative: relativeTime,
} as const

/**
 * A time in the viewer's time zone, with UTC on hover and focus.
 * @param at ISO 8601
 * @param plain uses the browser's own tooltip, which is cheap in long lists
 */
export function Time(props: {
  readonly at: string
  readonly as?: keyof typeof SHOWN
  readonly plain?: boolean
}) {
  const { at, as = 'full', plain = false } = props
  const now = useNow(as === 'relative' ? 10_000 : 60_000)
  return (
    <Moment at={at} lines={[fullTime(at), utcTime(at)]} plain={plain}>
      {SHOWN[as](at, now)}
    </Moment>
  )
}

/** Time left, updated every second. */
export function Countdown(props: {
  /** ISO 8601. */
  readonly to: string
  /** Text once the time is up. */
  readonly over: string
  /** Text before the remaining time. */
  readonly before?: string
  /** As for {@link Time}. */
  readonly plain?: boolean
}) {
  const { to, over, before = '', plain = false } = props
  const now = useNow(1_000)
  const left = new Date(to).getTime() - now
  return (
    <Moment at={to} lines={[fullTime(to), utcTime(to)]} plain={plain}>
      {left <= 0 ? over : `${before}${secondsText(left)}`}
    </Moment>
  )
}

/** Elapsed time, updated every second: "3 s ago". @param at ISO 8601 */
export function Elapsed({ at }: { readonly at: string }) {
  const now = useNow(1_000)
  return (
    <Moment at={at} lines={[fullTime(at), utcTime(at)]} plain={false}>
      {`${secondsText(now - Date.parse(at))} ago`}
    </Moment>
  )
}

function Moment(props: {
  readonly at: string
  readonly lines: readonly string[]
  readonly plain: boolean
  readonly children: string
}) {
  const { at, lines, plain, children } = props
  if (plain) {
    return (
      <time dateTime={at} className="ph-numbers" title={lines.join('\n')}>
        {children}
      </time>
    )
  }
  return (
    <Tooltip
      label={<span style={{ whiteSpace: 'pre-line' }}>{lines.join('\n')}</span>}
      events={{ hover: true, focus: true, touch: true }}
    >
      <time dateTime={at} className="ph-numbers">
        {children}
      </time>
    </Tooltip>
  )
}
