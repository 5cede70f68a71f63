import { Group, Text } from '@mantine/core'
import type { Series, Unit } from './series.ts'
import { valueText } from './series.ts'

/** Reserved width, so that the layout does not shift when values appear. */
const VALUE_WIDTHS = { count: '4ch', duration: '6ch', share: '6ch' } as const

/** The series of a chart, with their values in the selected bucket. */
export function ChartLegend(props: {
  readonly series: readonly Series[]
  readonly kind: 'bars' | 'lines'
  readonly unit: Unit
  readonly moment: number | null
}) {
  const { series, kind, unit, moment } = props
  return (
    <Group gap="2px 10px">
      {series.map(({ label, color, dash = 'solid', values }) => (
        <Group key={label} gap={6} wrap="nowrap">
          <span
            aria-hidden
            style={
              kind === 'bars'
                ? { width: 10, height: 10, borderRadius: 3, background: `var(--ph-${color})` }
                : { width: 16, borderTop: `2px ${dash} var(--ph-${color})` }
            }
          />
          <Text size="xs" span>
            {label}
          </Text>
          <Text size="xs" span fw={600} className="ph-numbers" miw={VALUE_WIDTHS[unit]}>
            {moment === null ? '' : valueText(values[moment] ?? null, unit)}
          </Text>
        </Group>
      ))}
    </Group>
  )
}
