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

/** What to do with a webhook that was just made, step by step. */
export function CreatedWebhook({ made }: { readonly made: WebhookWithSecret }) {
  const { ref, service } = useWorkspace()
  const { noun, canTest, isSigned } = service.features
  const [stored, setStored] = useState(false)
  const { webhook, secret } = made
  return (
    <Stack gap="md">
      <SecretGuard active={isSigned && secret !== null && !stored} />
      <Text size="sm" c="dimmed" component="div">
        Events go to <Untrusted mono>{webhook.url}</Untrusted> from now on.
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
          <Step number={2} title="Check the signature of what arrives">
            <Text size="sm">
              Anybody can send requests to your URL. The signature tells which ones are from here. This is a
              whole receiver that you can run, or take the check out of.
            </Text>
            <VerifyGuide />
          </Step>
        </>
      )}
      <Step
        number={isSigned ? 3 : 1}
        title={canTest ? 'Send a test and watch it arrive' : 'Watch the first event arrive'}
      >
        {canTest ? (
          <TestAndWatch webhookId={webhook.id} eventTypes={webhook.eventTypes} />
        ) : (
          <Text size="sm">
            There are no test events here. As soon as something happens in your workspace, the page of the{' '}
            {noun} shows the delivery, with everything that your server answered.
          </Text>
        )}
      </Step>
      <Group>
        <Button component={Link} to={`/w/${ref}/webhooks/${webhook.id}`}>
          Go on to the {noun}
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
