import { ScrollArea, Table, Text } from '@mantine/core'
import { Time } from '../Time.tsx'
import { type Series, tellingPlaces, type Unit, valueText } from './series.ts'

/** The values of a chart as a table. */
export function ChartTable(props: {
  readonly title: string
  readonly unit: Unit
  readonly times: readonly number[]
  readonly series: readonly Series[]
  readonly height: number
}) {
  const { title, unit, times, series, height } = props
  const places = tellingPlaces(series)
  return (
    <ScrollArea
      h={height}
      type="auto"
      viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': `${title}, values` }}
    >
      <Table stickyHeader fz="xs" className="ph-numbers">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">From</Table.Th>
            {series.map(({ label }) => (
              <Table.Th key={label} scope="col" ta="right">
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {places.map((place) => (
            <Table.Tr key={times[place]}>
              <Table.Th scope="row" fw={400}>
                <Time at={new Date(times[place]!).toISOString()} as="short" />
              </Table.Th>
              {series.map(({ label, values }) => (
                <Table.Td key={label} ta="right">
                  {valueText(values[place] ?? null, unit)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="xs" c="dimmed" py="xs">
        {places.length === 0 ? 'No data in this period.' : 'Rows without data are omitted.'}
      </Text>
    </ScrollArea>
  )
}
