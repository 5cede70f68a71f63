import type { Page } from 'playwright-core'
import { type DemoWorld, type LivedIn, OWNER, VIEWER } from './demoWorld.ts'
import type { HostSite } from './hostSite.ts'
import {
  addsOperator,
  addsWebhook,
  answered,
  choosesEvents,
  choosesTime,
  collides,
  copiesTwice,
  endsSession,
  follows,
  framedBy,
  goesInFrame,
  inTurn,
  leavesBy,
  opensDialog,
  opensMenu,
  type Reach,
  refusedToken,
  selectsAll,
  storesSecret,
  unfolds,
  writesWrongProfile,
} from './pageStates.ts'
import { settled } from './settled.ts'

/** A page of the console in one of its states, and its viewer. */
export interface ConsolePage {
  /** As used in the file names of pictures. */
  readonly name: string
  readonly path: string
  /** Address of a member; `null`: an operator; {@link SIGNED_OUT}: not signed in. */
  readonly as: string | null
  /** Steps to take before the page is looked at. */
  readonly reach?: Reach
}

export const SIGNED_OUT = 'signed-out'

/** Error statuses that are part of what some pages show. */
export const REFUSALS = [404, 409, 412] as const

/** Ids of deliveries to show. */
interface Shown {
  readonly failing: string
  readonly delivered: string
  /** The event of that delivery. */
  readonly event: string
  readonly off: string
  readonly dead: string
}

/** Opens a page and brings it into its state. */
export async function visit(page: Page, { path, reach }: ConsolePage): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.goto(path)
  await settled(page)
  await reach?.(page)
}

/** Every page with content, and the dialogs and menus on it. */
export const consolePages = (world: LivedIn, shown: Shown): readonly ConsolePage[] => [
  ...signedOutPages(),
  ...contentPages(world, shown),
  ...adsPages(world, shown),
  ...operatorPages(world),
]

/** Also pages that appear only before any activity, or rarely. */
export const allConsolePages = (world: DemoWorld, shown: Shown): readonly ConsolePage[] => [
  ...consolePages(world, shown),
  ...embeddedPages(world),
  ...replayPages(world),
  ...consumerPages(world),
  ...blankPages(world),
]

/** The console embedded in a product's page. */
export function framedPages({ portalLink }: DemoWorld, product: HostSite): readonly ConsolePage[] {
  const page = seenBy(SIGNED_OUT)
  const framed = framedBy(product, portalLink)
  return [
    page('framed', '/embed', framed),
    page(
      'framed-session-ended',
      '/embed',
      inTurn(framed, goesInFrame('Deliveries'), endsSession('Refresh deliveries')),
    ),
  ]
}

const seenBy =
  (as: string | null) =>
  (name: string, path: string, reach?: Reach): ConsolePage => ({
    ...{ name, path, as },
    ...(reach === undefined ? {} : { reach }),
  })

function signedOutPages(): readonly ConsolePage[] {
  const page = seenBy(SIGNED_OUT)
  return [
    page('sign-in', '/sign-in'),
    page('sign-in-admin-token-refused', '/sign-in', refusedToken),
    page('sign-in-admin-token', '/sign-in', unfolds('Sign in with the admin token')),
    page('portal-refused', '/portal#spent'),
    page('sign-in-link', '/sign-in#given'),
  ]
}

function embeddedPages({ portalLink }: DemoWorld): readonly ConsolePage[] {
  const page = seenBy(SIGNED_OUT)
  return [page('embedded-over', '/embed'), page('embedded', '/embed', follows(portalLink))]
}

function contentPages({ content }: LivedIn, shown: Shown): readonly ConsolePage[] {
  const { id, webhooks } = content
  const acme = `/w/${id}`
  const failing = `${acme}/webhooks/${webhooks.failing}`
  const healthy = `${acme}/webhooks/${webhooks.healthy}`
  const adds = addsWebhook('https://hooks.spokewell.com/drafts')
  const page = seenBy(OWNER)
  return [
    page('home', '/'),
    page('workspace', acme),
    page('menu-workspace', acme, opensMenu(/^Workspace: /)),
    page('menu-account', acme, opensMenu(OWNER)),
    page('webhooks', `${acme}/webhooks`),
    page('webhook-new', `${acme}/webhooks/new`),
    page('webhook', healthy),
    page('webhook-edit', healthy, unfolds('Edit webhook')),
    page('webhook-edit-collision', healthy, collides),
    page('webhook-rotate', healthy, opensDialog('Rotate secret')),
    page('webhook-disable', healthy, opensDialog('Disable webhook')),
    page('webhook-delete', healthy, opensDialog('Delete webhook')),
    page('webhook-failing', failing),
    page('webhook-off', `${acme}/webhooks/${webhooks.gone}`),
    page('webhook-paused', `${acme}/webhooks/${webhooks.paused}`),
    page('webhook-missing', `${acme}/webhooks/wh_none`),
    page('metrics', `${acme}/metrics?period=1h`),
    page('deliveries', `${acme}/deliveries`),
    page('event-log', `${acme}/event-log`),
    page('event', `${acme}/event-log/${shown.event}`),
    page('session-ended', `${acme}/deliveries`, endsSession('Refresh deliveries')),
    page('deliveries-none', `${acme}/deliveries?q=evt_none`),
    page('delivery-failing', `${failing}/deliveries/${shown.failing}`),
    page('delivery-resend-refused', `${acme}/webhooks/${webhooks.gone}/deliveries/${shown.off}`),
    page('delivery', `${healthy}/deliveries/${shown.delivered}`),
    page('event-types', `${acme}/events`),
    page('event-types-none', `${acme}/events?q=zebra`),
    page('event-type', `${acme}/events/version.approved`),
    page('event-type-messages', `${acme}/events/version.approved`, copiesTwice),
    page('audit-log', `${acme}/audit-log`),
    page('audit-log-entry', `${acme}/audit-log?target=${webhooks.paused}`, unfolds('Show details')),
    page('settings', `${acme}/settings`),
    page('missing', `${acme}/nothing-here`),
    // Last, since it adds a webhook.
    page('webhook-created', `${acme}/webhooks/new`, inTurn(adds, storesSecret)),
    page('webhook-created-leave', `${acme}/webhooks/new`, inTurn(adds, leavesBy('Integrations'))),
  ]
}

function adsPages({ ads }: LivedIn, shown: Shown): readonly ConsolePage[] {
  const northwind = `/w/${ads.id}`
  const dead = `${northwind}/webhooks/${ads.endpoints.dead}`
  const page = seenBy(OWNER)
  return [
    page('ads-endpoints', `${northwind}/webhooks`),
    page('ads-endpoint-new', `${northwind}/webhooks/new`),
    page('ads-endpoint', dead),
    page('ads-endpoint-rotate', dead, opensDialog('Rotate secret')),
    page('ads-metrics', `${northwind}/metrics?period=1h`),
    page('ads-deliveries', `${northwind}/deliveries`),
    page('ads-deliveries-selected', `${northwind}/deliveries?status=dead`, selectsAll),
    page('ads-delivery-dead', `${dead}/deliveries/${shown.dead}`),
    page('ads-replays', `${northwind}/replays`),
    page('ads-replay-confirm', `${northwind}/replays`, opensDialog('Replay deliveries…')),
  ]
}

/** Pages of members who may only read. */
export function viewerPages({ content, ads }: DemoWorld, shown: Shown): readonly ConsolePage[] {
  const acme = `/w/${content.id}`
  const { webhooks } = content
  const page = seenBy(VIEWER)
  return [
    page('viewer-webhooks', `${acme}/webhooks`),
    page('viewer-webhook-new', `${acme}/webhooks/new`),
    page('viewer-webhook', `${acme}/webhooks/${webhooks.healthy}`),
    page('viewer-webhook-off', `${acme}/webhooks/${webhooks.gone}`),
    page('viewer-delivery', `${acme}/webhooks/${webhooks.healthy}/deliveries/${shown.delivered}`),
    page('viewer-audit-log', `${acme}/audit-log`),
    page('viewer-settings', `${acme}/settings`),
    page('viewer-ads-deliveries', `/w/${ads.id}/deliveries?status=dead`),
    page('viewer-ads-replays', `/w/${ads.id}/replays`),
  ]
}

function replayPages({ ads, replay }: DemoWorld): readonly ConsolePage[] {
  const address = `/w/${ads.id}/replays?replay=${replay}`
  const page = seenBy(OWNER)
  return [
    page('ads-replay-done', address),
    page('ads-replay-running', address, answered(/\/replays\/[^/]+$/, asHalfDone)),
  ]
}

/** A small replay looks like this for a moment, and one of thousands for minutes. */
const asHalfDone = (replay: Readonly<Record<string, unknown>>) => ({
  ...replay,
  status: 'running',
  replayed: Math.floor(Number(replay.total) / 2),
  finishedAt: null,
})

function consumerPages({ content }: DemoWorld): readonly ConsolePage[] {
  const settings = `/w/${content.id}/settings`
  const page = seenBy(OWNER)
  const creates = opensDialog('Create a consumer')
  return [
    page('consumers-behind', settings, answered(/\/consumers\?/, asBehind)),
    page('consumer-read', settings, opensDialog('Show how to read crm-sync')),
    page('consumer-create', settings, opensDialog('Create a consumer')),
    page('consumer-create-types', settings, inTurn(creates, choosesEvents)),
    page('consumer-move', settings, inTurn(opensDialog('Move consumer crm-sync'), choosesTime)),
    page('consumer-delete', settings, opensDialog('Delete consumer crm-sync')),
  ]
}

/** Consumers that have lost events, are about to, or are behind many events of other types. */
const asBehind = ({ data, ...page }: Readonly<Record<string, unknown>>) => {
  const [first] = data as readonly Readonly<Record<string, unknown>>[]
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  const lag = { events: 1_000, has_more: true, oldest_at: ago(29) }
  const lost = { gap: { events: 12_480, noticed_at: ago(1) }, acknowledged_at: ago(34), moved_at: ago(40) }
  const others = { name: 'billing', lag: { events: 0, has_more: true, oldest_at: null } }
  return {
    ...page,
    data: [
      { ...first, ...lost, name: 'warehouse', lag },
      { ...first, ...others },
    ],
  }
}

function blankPages({ blank }: DemoWorld): readonly ConsolePage[] {
  const [brightside, quayside] = [`/w/${blank.content}`, `/w/${blank.ads}`]
  const page = seenBy(OWNER)
  return [
    page('blank-webhooks', `${brightside}/webhooks`),
    page('blank-deliveries', `${brightside}/deliveries`),
    page('blank-metrics', `${brightside}/metrics`),
    page('blank-event-type', `${brightside}/events/version.approved`),
    page('blank-audit-log', `${brightside}/audit-log?target=wh_none`),
    page('blank-settings', `${brightside}/settings`),
    page('blank-endpoints', `${quayside}/webhooks`),
    page('blank-replays', `${quayside}/replays`),
  ]
}

function operatorPages({ content }: LivedIn): readonly ConsolePage[] {
  const page = seenBy(null)
  return [
    page('operator-health', '/operator'),
    page('operator-workspaces', '/operator/workspaces'),
    page('operator-workspaces-none', '/operator/workspaces?q=zebra'),
    page('operator-workspaces-blank', '/operator/workspaces', answered(/\/admin\/v1\/workspaces\?/, asNone)),
    page('operator-workspace', `/operator/workspaces/${content.id}`),
    page('operator-suspend', `/operator/workspaces/${content.id}`, opensDialog('Suspend workspace')),
    page(
      'operator-resume',
      `/operator/workspaces/${content.id}`,
      inTurn(answered(/\/admin\/v1\/workspaces\/[^/?]+$/, asSuspended), opensDialog('Resume workspace')),
    ),
    page('operator-missing', '/operator/nothing-here'),
    page('operator-services', '/operator/services', answered(/\/admin\/v1\/services$/, withWeakOne)),
    page('operator-service', '/operator/services/standard'),
    page('operator-service-added', '/operator/services/standard', asAdded),
    page(
      'operator-service-remove',
      '/operator/services/standard',
      inTurn(asAdded, opensDialog('Remove service')),
    ),
    page('operator-service-new', '/operator/new-service'),
    page('operator-service-errors', '/operator/new-service', writesWrongProfile),
    page('operator-service-edit', '/operator/services/standard/edit', asAdded),
    page('operator-operators', '/operator/operators'),
    page('operator-operators-none', '/operator/operators', answered(/\/admin\/v1\/operators/, asNone)),
    page('operator-operator-new', '/operator/operators', opensDialog('Add an operator')),
    page('operator-operator-added', '/operator/operators', addsOperator),
    page('operator-operator-remove', '/operator/operators', opensDialog(/^Remove operator /)),
    page('operator-audit-log', '/operator/audit-log'),
    page('operator-audit-log-entry', '/operator/audit-log', unfolds('Show details')),
    page('operator-webhook', `/w/${content.id}/webhooks/${content.webhooks.failing}`),
  ]
}

const asNone = () => ({ data: [], next_cursor: null })

/** Adds a service that an operator created and that is weak in every respect. */
const withWeakOne = ({ data }: Readonly<Record<string, unknown>>) => {
  const [first, ...rest] = data as readonly Readonly<Record<string, unknown>>[]
  const at = new Date().toISOString()
  const weak = { name: 'billing', title: 'Billing', built_in: false, version: 4, unsigned: true, types: 3 }
  const warnings = [{ pointer: '/unsigned', message: 'lets anyone forge these requests' }]
  return { data: [first, { ...first, ...weak, warnings, created_at: at, updated_at: at }, ...rest] }
}

/** A service that looks as if an operator added and changed it. */
const asAdded = answered(/\/admin\/v1\/services\/[^/?]+$/, (service) => {
  if (service.profile === undefined) return service
  const at = new Date().toISOString()
  const warnings = [
    {
      pointer: '/signatures/0/content',
      message: 'does not sign {timestamp}, so an attacker could send an old request again',
    },
  ]
  const versions = [3, 2, 1].map((version) => ({ version, made_at: at }))
  return { ...service, built_in: false, version: 3, created_at: at, updated_at: at, versions, warnings }
})

const asSuspended = (workspace: Readonly<Record<string, unknown>>) => ({
  ...workspace,
  suspended_at: workspace.created_at,
})
