import { Tooltip } from '@mantine/core'
import { fullTime, relativeTime, secondsText, shortTime, utcTime } from './time.ts'
import { useNow } from './useNow.ts'

const SHOWN = {
  full: (at: string) => fullTime(at),
  short: shortTime,
  relative: relativeTime,
} as const

/**
 * A moment in the viewer's zone; hovering or focusing it shows the same in UTC.
 * @param at ISO 8601
 * @param plain in long lists: the browser's own hint, which costs nothing
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

/** The time that is left until a moment, second by second. */
export function Countdown(props: {
  /** ISO 8601. */
  readonly to: string
  /** Said once it has come. */
  readonly over: string
  /** Said in front of the time that is left. */
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

/** How long ago something began, second by second: "3 s ago". @param at ISO 8601 */
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
