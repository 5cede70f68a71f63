import { NativeSelect, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { DeliverySearch } from '../../../model/deliverySearch.ts'
import { fromLocalInput, toLocalInput } from '../../../model/localTime.ts'
import { PERIODS, type Period, periodName } from '../../../model/periods.ts'
import { capitalized } from '../../../model/words.ts'
import type { FilterProps } from './filterProps.ts'

const CUSTOM = 'custom'
const CHOICES = [
  { value: '', label: 'Any time' },
  ...PERIODS.map((period) => ({ value: period, label: capitalized(periodName(period)) })),
  { value: CUSTOM, label: 'From … to …' },
]

const hasSpan = ({ from, to }: DeliverySearch) => from !== undefined || to !== undefined

/** Filters by creation time: a period up to now, or a range in the viewer's time zone. */
export function TimeFilter({ search, onChange }: FilterProps) {
  const [asksSpan, setAsksSpan] = useState(hasSpan(search))
  const custom = hasSpan(search) || (asksSpan && search.period === undefined)
  const choose = (chosen: string) => {
    setAsksSpan(chosen === CUSTOM)
    const period = chosen === '' || chosen === CUSTOM ? undefined : (chosen as Period)
    onChange({ period, from: undefined, to: undefined })
  }
  return (
    <Stack gap={4}>
      <NativeSelect
        label="Time"
        size="xs"
        data={CHOICES}
        value={custom ? CUSTOM : (search.period ?? '')}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {custom && (
        <>
          <Moment name="from" label="From" search={search} onChange={onChange} />
          <Moment name="to" label="To" search={search} onChange={onChange} />
        </>
      )}
    </Stack>
  )
}

function Moment(props: FilterProps & { readonly name: 'from' | 'to'; readonly label: string }) {
  const { search, onChange, name, label } = props
  const at = search[name]
  const isBackwards =
    name === 'to' && search.from !== undefined && search.to !== undefined && search.from >= search.to
  return (
    <TextInput
      type="datetime-local"
      step={1}
      size="xs"
      label={label}
      value={at === undefined ? '' : toLocalInput(at)}
      onChange={(event) => onChange({ [name]: fromLocalInput(event.currentTarget.value) ?? undefined })}
      error={isBackwards ? 'Must be later than From' : undefined}
    />
  )
}
