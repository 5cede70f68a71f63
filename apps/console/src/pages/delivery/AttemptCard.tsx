import { Badge, Box, Group, List, Stack, Text, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useId } from 'react'
import { attemptHelp } from '../../model/attemptHelp.ts'
import type { Attempt } from '../../model/delivery.ts'
import { Time } from '../../shared/Time.tsx'
import { durationText, fullTime } from '../../shared/time.ts'
import { Untrusted } from '../../shared/untrusted/Untrusted.tsx'
import { RequestView } from './RequestView.tsx'
import { ResponseView } from './ResponseView.tsx'

const TRIGGERS: Readonly<Record<Attempt['trigger'], string | null>> = {
  schedule: null,
  retry: 'retry',
  redeliver: 'redelivery',
  replay: 'replay',
  recover: 'recovery',
  test: 'test',
}

/** An attempt: its result in one line, expandable to the request and the response. */
export function AttemptCard(props: {
  readonly attempt: Attempt
  readonly requestBody: string | null
  readonly opened: boolean
  readonly onToggle: () => void
}) {
  const { attempt, requestBody, opened, onToggle } = props
  const { number, trigger, startedAt, durationMs, error, cause } = attempt
  const details = useId()
  const help = attemptHelp(attempt, fullTime(startedAt))
  const triggered = TRIGGERS[trigger]
  return (
    <Stack gap="xs" style={{ minWidth: 0 }}>
      <UnstyledButton aria-expanded={opened} aria-controls={details} onClick={onToggle}>
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <Box pt={3}>{opened ? <IconChevronDown size={16} /> : <IconChevronRight size={16} />}</Box>
          <Group gap="2px 8px">
            <Text fw={600} size="sm">
              Attempt {number}
            </Text>
            <Text size="sm" fw={550} c={error === null ? 'var(--ph-good)' : 'var(--ph-bad)'}>
              {help.short}
            </Text>
            {triggered !== null && (
              <Badge color="gray" tt="none" size="sm">
                {triggered}
              </Badge>
            )}
            <Text size="sm" c="dimmed" component="span">
              <Time at={startedAt} as="full" /> · took {durationText(durationMs)}
            </Text>
          </Group>
        </Group>
      </UnstyledButton>
      {opened && (
        <Stack id={details} gap="md" pl={{ base: 0, sm: 26 }}>
          {error !== null && (
            <Box className="ph-surface" p="sm">
              <Text size="sm" component="div">
                <Untrusted>{error.message}</Untrusted>
              </Text>
              {cause === 'path' && (
                <Text size="xs" c="dimmed" mt={4}>
                  The attempt failed before your server responded. The cause may be the network between us.
                </Text>
              )}
              {help.steps.length > 0 && (
                <List size="sm" mt={6} spacing={4}>
                  {help.steps.map((step) => (
                    <List.Item key={step}>{step}</List.Item>
                  ))}
                </List>
              )}
            </Box>
          )}
          <ResponseView attempt={attempt} />
          <RequestView attempt={attempt} body={requestBody} />
        </Stack>
      )}
    </Stack>
  )
}
