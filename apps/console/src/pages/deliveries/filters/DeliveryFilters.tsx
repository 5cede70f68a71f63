import { Button, Group, SimpleGrid, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconFilter, IconX } from '@tabler/icons-react'
import { filtersIn, isFiltered, NO_FILTERS } from '../../../model/deliverySearch.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import type { FilterProps } from './filterProps.ts'
import { WebhookFilter } from './Selects.tsx'
import { StatusCodeFilter } from './StatusCodeFilter.tsx'
import { TimeFilter } from './TimeFilter.tsx'
import { TypesFilter } from './TypesFilter.tsx'
import { WordsFilter } from './WordsFilter.tsx'

/** Filters of the list. On narrow screens only the states are expanded. */
export function DeliveryFilters({ search, onChange }: FilterProps) {
  const count = filtersIn(search).filter((name) => name !== 'status' && name !== 'q').length
  const [opened, { toggle }] = useDisclosure(count > 0)
  return (
    <Stack gap="xs">
      <Group gap="xs" justify="space-between">
        <StateFilter search={search} onChange={onChange} />
        <Group gap="xs">
          {isFiltered(search) && (
            <Button
              size="compact-sm"
              variant="subtle"
              leftSection={<IconX size={14} />}
              onClick={() => onChange(NO_FILTERS)}
            >
              Clear filters
            </Button>
          )}
          <Button
            hiddenFrom="sm"
            size="compact-sm"
            variant="default"
            leftSection={<IconFilter size={14} />}
            aria-expanded={opened}
            onClick={toggle}
          >
            Filters{count > 0 ? ` (${count})` : ''}
          </Button>
        </Group>
      </Group>
      <WordsFilter value={search.q} onChange={(q) => onChange({ q })} />
      <SimpleGrid
        className="ph-filters"
        data-opened={opened}
        cols={{ base: 1, xs: 2, md: 4 }}
        spacing="xs"
        verticalSpacing="xs"
      >
        <WebhookFilter search={search} onChange={onChange} />
        <TypesFilter value={search.type} onChange={(type) => onChange({ type })} />
        <TimeFilter search={search} onChange={onChange} />
        <StatusCodeFilter search={search} onChange={onChange} />
      </SimpleGrid>
    </Stack>
  )
}

function StateFilter({ search, onChange }: FilterProps) {
  const { statuses } = useWorkspace().service.features
  return (
    <Group gap={6} role="group" aria-label="State">
      {[undefined, ...statuses].map((status) => {
        const chosen = search.status === status
        return (
          <Button
            key={status ?? 'all'}
            size="compact-sm"
            radius="xl"
            variant={chosen ? 'filled' : 'default'}
            aria-pressed={chosen}
            tt="capitalize"
            fw={500}
            onClick={() => onChange({ status })}
          >
            {status ?? 'all'}
          </Button>
        )
      })}
    </Group>
  )
}
