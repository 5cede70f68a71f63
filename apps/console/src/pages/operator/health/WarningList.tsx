import { Alert, List, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { warningsQuery } from '../../../api/operator.ts'
import { Time } from '../../../shared/Time.tsx'

/** Warnings for operators. Renders nothing without warnings; {@link VerdictAlert} shows read errors. */
export function WarningList() {
  const { data } = useQuery(warningsQuery)
  if (data === undefined || data.length === 0) return null
  return (
    <Alert color="yellow" variant="light" icon={<IconAlertTriangle size={22} />} title="Warnings">
      <List size="sm" spacing="xs" listStyleType="none">
        {data.map(({ code, text, since }) => (
          <List.Item key={code}>
            <Text size="sm">{text}</Text>
            <Text size="xs" c="dimmed" component="div">
              Started <Time at={since} as="relative" />
            </Text>
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
