import { TextInput } from '@mantine/core'
import { useEffect, useId, useState } from 'react'
import { readStatusCode } from '../../../model/deliverySearch.ts'
import type { FilterProps } from './filterProps.ts'

/** Display text of `none`. */
const NO_ANSWER = 'no response'
const CHOICES = ['2xx', '3xx', '4xx', '5xx', NO_ANSWER]

const shown = (code: string | number | undefined) => (code === 'none' ? NO_ANSWER : String(code ?? ''))

/** Filters by the status code of the latest attempt: a class, an exact code, or none. */
export function StatusCodeFilter({ search, onChange }: FilterProps) {
  const [typed, setTyped] = useState(shown(search.code))
  const listId = useId()
  useEffect(() => setTyped(shown(search.code)), [search.code])
  const change = (value: string) => {
    setTyped(value)
    if (value === '') return onChange({ code: undefined })
    const code = readStatusCode(value === NO_ANSWER ? 'none' : value)
    if (code !== null) onChange({ code: /^\d+$/.test(code) ? Number(code) : code })
  }
  const code = readStatusCode(typed === NO_ANSWER ? 'none' : typed)
  return (
    <>
      <TextInput
        label="Status code"
        placeholder="Any, such as 404"
        size="xs"
        list={listId}
        value={typed}
        onChange={(event) => change(event.currentTarget.value)}
        error={
          typed.length >= 3 && !NO_ANSWER.startsWith(typed) && code === null
            ? 'Enter a code such as 404 or 5xx'
            : undefined
        }
        autoComplete="off"
        spellCheck={false}
      />
      <datalist id={listId}>
        {CHOICES.map((choice) => (
          <option key={choice} value={choice} />
        ))}
      </datalist>
    </>
  )
}
