import { Alert, Text } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import type { DetailedWebhookSummary } from '../../../../api/webhookSummaries.ts'
import { Countdown, Time } from '../../../../shared/Time.tsx'

type Secret = DetailedWebhookSummary['secrets'][number]

/** Replaced secrets that still sign requests, and for how long. @param ending newest first */
export function Overlap({ ending }: { readonly ending: readonly Secret[] }) {
  const one = ending.length === 1
  return (
    <Alert
      color="yellow"
      variant="light"
      w="100%"
      icon={<IconKey size={18} />}
      title={one ? 'Two secrets sign every request' : `${ending.length + 1} secrets sign every request`}
    >
      {ending.map(({ created_at, expires_at }) => (
        <Text size="sm" component="div" key={`${created_at} ${expires_at}`}>
          The {one ? 'old secret' : 'secret'}, created <Time at={created_at} as="short" />, stops signing in{' '}
          <Text span inherit fw={600}>
            <Countdown to={expires_at!} over="a moment" />
          </Text>
          .
        </Text>
      ))}
      <Text size="sm" mt={4}>
        Update your server with the new secret before then.
      </Text>
    </Alert>
  )
}
