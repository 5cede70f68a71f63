import { SimpleGrid } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazy, Suspense, useId } from 'react'
import type { DetailedWebhookSummary } from '../../../api/webhookSummaries.ts'
import type { Webhook } from '../../../model/webhook.ts'
import { Loading } from '../../../shared/states.tsx'
import { Unsigned } from '../../../shared/Unsigned.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { SecretCard } from './secret/SecretCard.tsx'
import { TestCard } from './TestCard.tsx'

const VerifyCard = lazy(async () => ({ default: (await import('./secret/VerifyCard.tsx')).VerifyCard }))

/** Tests and the signing secret side by side, with an expandable guide to verification below. */
export function TryAndSecret(props: {
  readonly webhook: Webhook
  readonly summary: DetailedWebhookSummary | null
}) {
  const { maySend, service } = useWorkspace()
  const [guide, { toggle }] = useDisclosure(false)
  const guideId = useId()
  const { isSigned } = service.features
  const tests = service.features.canTest && maySend
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: tests ? 2 : 1 }}>
        {tests && <TestCard webhook={props.webhook} />}
        {!isSigned ? (
          <Unsigned />
        ) : (
          <SecretCard {...props} guide={guide} guideId={guideId} onGuide={toggle} />
        )}
      </SimpleGrid>
      {guide && (
        <Suspense fallback={<Loading />}>
          <VerifyCard id={guideId} />
        </Suspense>
      )}
    </>
  )
}
