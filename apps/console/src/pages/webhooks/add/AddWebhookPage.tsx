import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { WebhookWithSecret } from '../../../model/webhook.ts'
import { withArticle } from '../../../model/words.ts'
import { PageFrame } from '../../../shared/PageFrame.tsx'
import { Failure, Loading } from '../../../shared/states.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { AddWebhookForm } from './AddWebhookForm.tsx'

const createdWebhook = () => import('../created/CreatedWebhook.tsx')
const CreatedWebhook = lazy(async () => ({ default: (await createdWebhook()).CreatedWebhook }))

/** Adds a webhook, then shows its secret once and guides the user to the first verified request. */
export function AddWebhookPage() {
  const { ref, mayChange, service } = useWorkspace()
  const { noun, area } = service.features
  // The only place that holds the secret.
  const [made, setMade] = useState<WebhookWithSecret | null>(null)
  return (
    <PageFrame
      title={made === null ? `Add ${withArticle(noun)}` : `Your ${noun} is ready`}
      trail={[{ to: `/w/${ref}/webhooks`, label: area }]}
      {...(made === null && mayChange ? { lead: <WithoutAddress to={`/w/${ref}/settings`} /> } : {})}
    >
      {!mayChange ? (
        <Failure error={new Error(`Only owners of this workspace can add ${noun}s.`)} />
      ) : made === null ? (
        <AddWebhookForm onMade={setMade} />
      ) : (
        <Suspense fallback={<Loading />}>
          <CreatedWebhook made={made} />
        </Suspense>
      )}
    </PageFrame>
  )
}

const WithoutAddress = ({ to }: { readonly to: string }) => (
  <>
    Does your receiver have no public address?{' '}
    <Anchor component={Link} to={to} inherit underline="always">
      Create a consumer
    </Anchor>{' '}
    and let it fetch events instead.
  </>
)
