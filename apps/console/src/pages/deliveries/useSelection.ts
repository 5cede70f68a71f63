import { useCallback, useMemo, useState } from 'react'

/** Selected rows of a list, by id. */
export interface Selection {
  readonly chosen: ReadonlySet<string>
  readonly select: (id: string, selected: boolean) => void
  readonly selectAll: (ids: readonly string[]) => void
  readonly clear: () => void
}

export function useSelection(): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const select = useCallback((id: string, selected: boolean) => {
    setChosen((before) => {
      const after = new Set(before)
      if (selected) after.add(id)
      else after.delete(id)
      return after
    })
  }, [])
  const selectAll = useCallback((ids: readonly string[]) => setChosen(new Set(ids)), [])
  const clear = useCallback(() => setChosen(new Set()), [])
  return useMemo(() => ({ chosen, select, selectAll, clear }), [chosen, select, selectAll, clear])
}
