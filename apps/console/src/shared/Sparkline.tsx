import { countText } from '../model/numbers.ts'

interface Hour {
  /** Start of the hour, ISO 8601. */
  readonly at: string
  readonly delivered: number
  /** Those that failed or were canceled. */
  readonly undelivered: number
}

const WIDTH = 120
const HEIGHT = 28
/** Successes are drawn above this line and failures below, so that color is not the only difference. */
const LINE = 19
const UP = LINE - 1
const DOWN = HEIGHT - LINE - 1

/**
 * Finished deliveries per hour: delivered ones above the line, others below.
 * @param hours oldest first
 * @param wide whether it fills the available width
 */
export function Sparkline({
  hours,
  wide = false,
}: {
  readonly hours: readonly Hour[]
  readonly wide?: boolean
}) {
  const most = Math.max(1, ...hours.map(({ delivered, undelivered }) => Math.max(delivered, undelivered)))
  const step = WIDTH / hours.length
  // Any count above zero is visible.
  const height = (count: number, room: number) =>
    count === 0 ? 0 : Math.max(2, Math.sqrt(count / most) * room)
  return (
    <svg
      width={wide ? '100%' : WIDTH}
      height={HEIGHT}
      preserveAspectRatio="none"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={inWords(hours)}
    >
      <rect x={0} y={LINE} width={WIDTH} height={1} fill="var(--ph-border)" />
      {hours.map(({ at, delivered, undelivered }, place) => {
        const up = height(delivered, UP)
        const x = place * step + 0.5
        return (
          <g key={at}>
            <rect x={x} y={LINE - up} width={step - 1} height={up} rx={1} fill="var(--ph-good)" />
            <rect
              x={x}
              y={LINE + 1}
              width={step - 1}
              height={height(undelivered, DOWN)}
              rx={1}
              fill="var(--ph-bad)"
            />
          </g>
        )
      })}
    </svg>
  )
}

/** Text alternative of the chart. */
export function inWords(hours: readonly Hour[]): string {
  const delivered = hours.reduce((sum, hour) => sum + hour.delivered, 0)
  const undelivered = hours.reduce((sum, hour) => sum + hour.undelivered, 0)
  if (delivered + undelivered === 0) return `Last ${hours.length} hours: no delivery finished`
  const bad = hours.filter((hour) => hour.undelivered > 0).length
  const when = bad === 0 ? '' : `, in ${bad} ${bad === 1 ? 'hour' : 'different hours'}`
  return `Last ${hours.length} hours: ${countText(delivered)} delivered, ${countText(undelivered)} not${when}`
}
