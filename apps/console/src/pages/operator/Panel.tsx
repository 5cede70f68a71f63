import { Card, Stack, Text, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Failure, Loading } from '../../shared/states.tsx'

/** A titled list with its loading, error and empty states. @param empty text of the empty state */
export function Panel<Item>(props: {
  readonly title: string
  readonly read: UseQueryResult<readonly Item[]>
  readonly empty: string
  readonly children: (items: readonly Item[]) => ReactNode
}) {
  const { title, read, empty, children } = props
  return (
    <Card withBorder padding="md" component="section">
      <Stack gap="sm">
        <Title order={2} size="h3">
          {title}
        </Title>
        {read.isPending && <Loading rows={3} />}
        {read.isError && <Failure error={read.error} retry={() => void read.refetch()} />}
        {read.data?.length === 0 && (
          <Text size="sm" c="dimmed">
            {empty}
          </Text>
        )}
        {read.data !== undefined && read.data.length > 0 && children(read.data)}
      </Stack>
    </Card>
  )
}
