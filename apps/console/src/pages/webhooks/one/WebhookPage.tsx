import { Group, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { isProblem } from '../../../api/problem.ts'
import { type DetailedWebhookSummary, summaryQuery } from '../../../api/webhookSummaries.ts'
import { webhookQuery } from '../../../api/webhooks.ts'
import { failedWordOf } from '../../../model/service.ts'
import { type WebhookVersion, webhookName } from '../../../model/webhook.ts'
import { capitalized } from '../../../model/words.ts'
import { CopyIcon } from '../../../shared/Copy.tsx'
import { OnceSeen } from '../../../shared/OnceSeen.tsx'
import { PageFrame } from '../../../shared/PageFrame.tsx'
import { WebhookBadge } from '../../../shared/StatusBadge.tsx'
import { Failure, Loading } from '../../../shared/states.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { shownState } from '../stateWords.ts'
import { DangerCard } from './DangerCard.tsx'
import { DayStats } from './DayStats.tsx'
import { PauseButton } from './PauseButton.tsx'
import { RecentDeliveries } from './RecentDeliveries.tsx'
import { RecoverCard } from './recover/RecoverCard.tsx'
import { StateNotice } from './StateNotice.tsx'
import { SettingsCard } from './settings/SettingsCard.tsx'
import { TryAndSecret } from './TryAndSecret.tsx'
import { useStatsInStep } from './useStatsInStep.ts'

const StatsPanel = lazy(async () => ({
  default: (await import('../../../shared/stats/StatsPanel.tsx')).StatsPanel,
}))

const WebhookNotFound = lazy(async () => ({
  default: (await import('./WebhookNotFound.tsx')).WebhookNotFound,
}))

const WarningsCard = lazy(async () => ({
  default: (await import('./warnings/WarningsCard.tsx')).WarningsCard,
}))

/** Estimated minimum heights. */
const STATS_HEIGHT_PX = 600
const WARNINGS_HEIGHT_PX = 200

/** The page of a webhook: state, deliveries, actions and settings. */
export function WebhookPage() {
  const workspace = useWorkspace()
  const { id } = useParams({ from: '/w/$ws/webhooks/$id' })
  const { deleted, onDeleted } = useDeletion(id)
  const webhook = useQuery({ ...webhookQuery(workspace, id), enabled: !deleted })
  const summary = useQuery({ ...summaryQuery(workspace.id, id), enabled: !deleted })
  const { noun, area } = workspace.service.features
  const trail = [{ to: `/w/${workspace.ref}/webhooks`, label: area }]
  const gone = isProblem(webhook.error) && webhook.error.status === 404
  if (deleted || webhook.data === undefined || gone) {
    return (
      <PageFrame title={capitalized(noun)} trail={trail}>
        {deleted || webhook.isPending ? (
          <Loading />
        ) : gone ? (
          <Suspense fallback={<Loading />}>
            <WebhookNotFound />
          </Suspense>
        ) : (
          <Failure error={webhook.error} retry={() => void webhook.refetch()} />
        )}
      </PageFrame>
    )
  }
  return (
    <WebhookFrame key={id} version={webhook.data} trail={trail}>
      {summary.data === undefined && summary.isError && (
        <Failure error={summary.error} retry={() => void summary.refetch()} />
      )}
      <WebhookSections version={webhook.data} summary={summary.data ?? null} onDeleted={onDeleted} />
    </WebhookFrame>
  )
}

/** Stops all reads of the webhook after it was deleted on this page. */
function useDeletion(id: string) {
  const { id: ws } = useWorkspace()
  const queryClient = useQueryClient()
  const [deletedId, setDeletedId] = useState<string | null>(null)
  const onDeleted = () => {
    setDeletedId(id)
    // Reads in progress would fail with 404.
    void queryClient.cancelQueries({ predicate: ({ queryKey }) => isAbout(queryKey, ws, id) })
  }
  return { deleted: deletedId === id, onDeleted }
}

const isAbout = ([what, where, which]: readonly unknown[], ws: string, id: string) =>
  where === ws && (which === id || what === 'stats' || what === 'deliveries')

function WebhookFrame(props: {
  readonly version: WebhookVersion
  readonly trail: readonly { readonly to: string; readonly label: string }[]
  readonly children: ReactNode
}) {
  const { suspended } = useWorkspace()
  const { webhook } = props.version
  return (
    <PageFrame
      title={webhookName(webhook)}
      trail={props.trail}
      badge={<WebhookBadge kind={shownState(webhook, suspended).kind} />}
      lead={
        <>
          <Group gap={4} wrap="nowrap" align="flex-start">
            <Text span inherit lineClamp={3}>
              <Untrusted mono>{webhook.url}</Untrusted>
            </Text>
            <CopyIcon value={webhook.url} what="URL" />
          </Group>
          {webhook.description !== '' && webhook.description !== webhookName(webhook) && (
            <Text inherit lineClamp={3} component="div" mt={4}>
              <Untrusted>{webhook.description}</Untrusted>
            </Text>
          )}
        </>
      }
      actions={<PauseButton webhook={webhook} />}
    >
      {props.children}
    </PageFrame>
  )
}

function WebhookSections(props: {
  readonly version: WebhookVersion
  readonly summary: DetailedWebhookSummary | null
  readonly onDeleted: () => void
}) {
  const { version, summary, onDeleted } = props
  const { id: ws, mayChange, service } = useWorkspace()
  const failedWord = failedWordOf(service.features)
  const { webhook } = version
  useStatsInStep(webhook.id, summary)
  return (
    <>
      <StateNotice webhook={webhook} summary={summary} />
      <DayStats summary={summary} failing={webhook.state.kind === 'failing'} failedWord={failedWord} />
      <RecentDeliveries webhookId={webhook.id} />
      {mayChange && summary !== null && <RecoverCard webhook={webhook} summary={summary} />}
      <TryAndSecret webhook={webhook} summary={summary} />
      <SettingsCard version={version} summary={summary} />
      <OnceSeen height={WARNINGS_HEIGHT_PX}>
        <Suspense fallback={<Loading />}>
          <WarningsCard webhook={webhook} />
        </Suspense>
      </OnceSeen>
      <OnceSeen height={STATS_HEIGHT_PX}>
        <Suspense fallback={<Loading />}>
          <StatsPanel scope={{ of: 'webhook', ws, webhookId: webhook.id }} failedWord={failedWord} />
        </Suspense>
      </OnceSeen>
      {mayChange && <DangerCard webhook={webhook} onDeleted={onDeleted} />}
    </>
  )
}
