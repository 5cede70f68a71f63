import { Button, Group, Stack, Text } from '@mantine/core'
import { IconPlus, IconSearchOff, IconWebhook } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ComponentProps, useCallback } from 'react'
import { webhooksQuery } from '../../../api/webhooks.ts'
import { counted, countText } from '../../../model/numbers.ts'
import { narrows, webhookSearch } from '../../../model/webhookSearch.ts'
import { withArticle } from '../../../model/words.ts'
import { PageFrame } from '../../../shared/PageFrame.tsx'
import { Empty, Failure, Loading } from '../../../shared/states.tsx'
import { Unsigned } from '../../../shared/Unsigned.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { FailingAlert } from './FailingAlert.tsx'
import { WebhookFilters } from './WebhookFilters.tsx'
import { WebhookList } from './WebhookList.tsx'

/** The webhooks of a workspace, with their state. */
export function WebhooksPage() {
  const workspace = useWorkspace()
  const { noun, area, isSigned } = workspace.service.features
  const { max_webhooks: maxWebhooks } = workspace.rules
  const search = useSearch({ from: '/w/$ws/webhooks' })
  const navigate = useNavigate({ from: '/w/$ws/webhooks' })
  const change = useCallback(
    (changes: Parameters<ComponentProps<typeof WebhookFilters>['onChange']>[0]) =>
      void navigate({
        search: (current) => webhookSearch({ ...current, ...changes }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  )
  const webhooks = useInfiniteQuery(webhooksQuery(workspace, search))
  const pages = webhooks.data?.pages ?? []
  const count = pages.reduce((sum, { items }) => sum + items.length, 0)
  const narrowed = narrows(search)
  const full = !narrowed && count >= maxWebhooks
  const some = count > 0
  return (
    <PageFrame
      title={area}
      lead={`Each ${noun} receives the selected events as ${isSigned ? 'signed ' : ''}HTTPS requests.`}
      badge={
        // The total is unknown until all pages are read.
        some && !narrowed && !webhooks.hasNextPage ? (
          <Text size="sm" c="dimmed" className="ph-numbers">
            {countText(count)} of at most {counted(maxWebhooks, noun)}
          </Text>
        ) : undefined
      }
      actions={workspace.mayChange && (some || narrowed) && !full ? <AddButton /> : undefined}
    >
      <Unsigned />
      {some && <FailingAlert />}
      {webhooks.isPending && <Loading />}
      {webhooks.isError && <Failure error={webhooks.error} retry={() => void webhooks.refetch()} />}
      {(some || narrowed) && <WebhookFilters search={search} onChange={change} />}
      {webhooks.isSuccess && !some && (narrowed ? <NoneFound /> : <NoWebhooks />)}
      {some && (
        <Stack gap="sm">
          {full && (
            <Text size="sm" c="dimmed">
              A workspace has at most {counted(maxWebhooks, noun)}. Delete one to add another.
            </Text>
          )}
          {pages.map(({ items }) => (
            <WebhookList key={items[0]?.id ?? 'none'} webhooks={items} />
          ))}
          {webhooks.hasNextPage && (
            <Group justify="center">
              <Button
                variant="default"
                loading={webhooks.isFetchingNextPage}
                onClick={() => void webhooks.fetchNextPage()}
              >
                Show more {noun}s
              </Button>
            </Group>
          )}
        </Stack>
      )}
    </PageFrame>
  )
}

function NoneFound() {
  const { ref, service } = useWorkspace()
  return (
    <Empty
      icon={<IconSearchOff size={26} />}
      title={`No ${service.features.noun} matches`}
      action={
        <Button variant="default" component={Link} to={`/w/${ref}/webhooks`}>
          Clear filters
        </Button>
      }
    >
      Try fewer letters or another state.
    </Empty>
  )
}

function AddButton() {
  const { ref, service } = useWorkspace()
  return (
    <Button component={Link} to={`/w/${ref}/webhooks/new`} leftSection={<IconPlus size={16} />}>
      Add {withArticle(service.features.noun)}
    </Button>
  )
}

function NoWebhooks() {
  const { mayChange, service } = useWorkspace()
  const { noun, isSigned } = service.features
  const secret = isSigned
    ? 'You get a signing secret, code that verifies signatures, and a log of every delivery.'
    : 'You get a log of every delivery.'
  return (
    <Empty
      icon={<IconWebhook size={26} />}
      title={`No ${noun} yet`}
      action={mayChange ? <AddButton /> : undefined}
    >
      {mayChange
        ? `Enter a URL of your server and select its event types. ${secret}`
        : `An owner of this workspace can add the first ${noun}. This page then shows its status.`}
    </Empty>
  )
}
