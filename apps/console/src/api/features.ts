import type { Features, Resend } from '../model/service.ts'
import type { ServiceDescription } from './serviceDescription.ts'

/** The features of a workspace's service, and its terms. */
export function featuresOf(description: ServiceDescription): Features {
  const { words, webhook, operations, statuses, catalog, paths, body } = description
  const { searchable: members } = description
  return {
    noun: words.webhook,
    area: words.webhook === 'endpoint' ? 'Endpoints' : 'Integrations',
    canPause: operations.pause,
    pauseHolds: operations.pause_holds,
    canDisable: webhook.state,
    canTest: operations.test !== null,
    testType: operations.test?.type ?? null,
    canTakeAllTypes: webhook.all_types,
    resend: resendOf(description),
    canReplayMany: operations.bulk,
    canRetry: operations.retry,
    canRecover: operations.recover,
    recoversMissed: operations.recover_missed,
    statuses,
    openCatalog: catalog.open,
    searchable: { members, data: body.data },
    eventsPath: (slug) => (paths === 'flat' ? '/api/v1/events' : `/v1/workspaces/${slug}/events`),
    isSigned: !description.unsigned,
  }
}

/** If a service has both operations, its term decides. */
function resendOf({ operations, words }: ServiceDescription): Resend | null {
  const other = words.resend === 'redeliver' ? 'replay' : 'redeliver'
  for (const operation of [words.resend, other] as const) {
    const found = operations[operation]
    if (found !== null) return { operation, ...found }
  }
  return null
}
