import { Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { WebhookWithSecret } from '../../../model/webhook.ts'
import { Unsigned } from '../../../shared/Unsigned.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { TestAndWatch } from '../test/TestAndWatch.tsx'
import { SecretGuard } from './SecretGuard.tsx'
import { SecretOmitted } from './SecretOmitted.tsx'
import { SecretOnce } from './SecretOnce.tsx'
import { VerifyGuide } from './VerifyGuide.tsx'

/** The next steps after creating a webhook. */
export function CreatedWebhook({ made }: { readonly made: WebhookWithSecret }) {
  const { ref, service } = useWorkspace()
  const { noun, canTest, isSigned } = service.features
  const [stored, setStored] = useState(false)
  const { webhook, secret } = made
  return (
    <Stack gap="md">
      <SecretGuard active={isSigned && secret !== null && !stored} />
      <Text size="sm" c="dimmed" component="div">
        Events are now sent to <Untrusted mono>{webhook.url}</Untrusted>.
      </Text>
      <Unsigned />
      {isSigned && (
        <>
          <Step number={1} title="Store the signing secret">
            {secret === null ? (
              <SecretOmitted>Rotate the secret on the page of the {noun}.</SecretOmitted>
            ) : (
              <SecretOnce secret={secret} stored={stored} onStored={setStored} />
            )}
          </Step>
          <Step number={2} title="Verify signatures">
            <Text size="sm">
              Anyone can send requests to your URL. The signature proves that a request comes from this
              service. The following is a complete receiver. Run it, or copy the verification into your code.
            </Text>
            <VerifyGuide />
          </Step>
        </>
      )}
      <Step number={isSigned ? 3 : 1} title={canTest ? 'Send a test event' : 'Wait for the first event'}>
        {canTest ? (
          <TestAndWatch webhookId={webhook.id} eventTypes={webhook.eventTypes} />
        ) : (
          <Text size="sm">
            This service has no test events. Once an event is published, the page of the {noun} shows its
            delivery and the response of your server.
          </Text>
        )}
      </Step>
      <Group>
        <Button component={Link} to={`/w/${ref}/webhooks/${webhook.id}`}>
          Go to the {noun}
        </Button>
      </Group>
    </Stack>
  )
}

const Step = (props: { readonly number: number; readonly title: string; readonly children: ReactNode }) => (
  <Card withBorder component="section" p={{ base: 'sm', sm: 'lg' }}>
    <Stack gap="sm">
      <Title order={2}>
        <Text span inherit c="dimmed" mr={8}>
          {props.number}
        </Text>
        {props.title}
      </Title>
      {props.children}
    </Stack>
  </Card>
)
