import type { Page } from 'playwright-core'
import { eventually } from '../support/waiting.ts'
import { type DemoWorld, OWNER } from './demoWorld.ts'

/** A page of the console, and who looks at it. */
export interface ConsolePage {
  /** As files of pictures are called. */
  readonly name: string
  readonly path: string
  /** Address of a member; `null`: an operator; `nobody`: not signed in. */
  readonly as: string | null
}

export const NOBODY = 'nobody'

/** Every page, with something on it. @param deliveries ids of deliveries to show, by the webhook that they went to */
export function consolePages(
  { content, ads }: DemoWorld,
  deliveries: { readonly failing: string; readonly delivered: string; readonly dead: string },
): readonly ConsolePage[] {
  const acme = `/w/${content.id}`
  const northwind = `/w/${ads.id}`
  const member = (name: string, path: string): ConsolePage => ({ name, path, as: OWNER })
  const operator = (name: string, path: string): ConsolePage => ({ name, path, as: null })
  return [
    { name: 'sign-in', path: '/sign-in', as: NOBODY },
    member('webhooks', `${acme}/webhooks`),
    member('webhook-new', `${acme}/webhooks/new`),
    member('webhook', `${acme}/webhooks/${content.webhooks.healthy}`),
    member('webhook-failing', `${acme}/webhooks/${content.webhooks.failing}`),
    member('webhook-off', `${acme}/webhooks/${content.webhooks.gone}`),
    member('webhook-paused', `${acme}/webhooks/${content.webhooks.paused}`),
    member('deliveries', `${acme}/deliveries`),
    member('deliveries-none', `${acme}/deliveries?event=evt_none`),
    member(
      'delivery-failing',
      `${acme}/webhooks/${content.webhooks.failing}/deliveries/${deliveries.failing}`,
    ),
    member('delivery', `${acme}/webhooks/${content.webhooks.healthy}/deliveries/${deliveries.delivered}`),
    member('event-types', `${acme}/events`),
    member('event-type', `${acme}/events/version.approved`),
    member('audit-log', `${acme}/audit-log`),
    member('settings', `${acme}/settings`),
    member('ads-endpoints', `${northwind}/webhooks`),
    member('ads-endpoint-new', `${northwind}/webhooks/new`),
    member('ads-endpoint', `${northwind}/webhooks/${ads.endpoints.dead}`),
    member('ads-deliveries', `${northwind}/deliveries`),
    member('ads-delivery-dead', `${northwind}/webhooks/${ads.endpoints.dead}/deliveries/${deliveries.dead}`),
    member('ads-replays', `${northwind}/replays`),
    member('missing', `${acme}/nothing-here`),
    operator('operator-health', '/operator'),
    operator('operator-workspaces', '/operator/workspaces'),
    operator('operator-workspace', `/operator/workspaces/${content.id}`),
    operator('operator-operators', '/operator/operators'),
    operator('operator-audit-log', '/operator/audit-log'),
  ]
}

/** Resolves once the page has its heading and nothing is being read any more. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  const loading = page.getByLabel('Loading', { exact: true })
  await eventually(async () => ((await loading.count()) === 0 ? true : null), {
    withinMs: 20_000,
    what: `end of reading at ${page.url()}`,
  })
  await page.evaluate('document.fonts.ready')
}
