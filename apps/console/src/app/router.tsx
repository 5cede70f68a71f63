import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  Outlet,
} from '@tanstack/react-router'
import { EMBED_PATH, isEmbedded } from '../api/credential.ts'
import { readDeliverySearch, readReplaySearch } from '../model/deliverySearch.ts'
import { readEventSearch } from '../model/eventSearch.ts'
import { periodSearch } from '../model/periodSearch.ts'
import { webhookSearch } from '../model/webhookSearch.ts'
import { auditSearch } from '../pages/audit/auditSearch.ts'
import { arrivalPath } from '../pages/signIn/arrivalPath.ts'
import { PageFailure, PageMissing, PagePending } from './pageStates.tsx'
import { SessionEnded } from './SessionEnded.tsx'

const root = createRootRoute({
  component: () => (
    <>
      <Outlet />
      <SessionEnded />
    </>
  ),
})

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./HomePage.tsx'), 'HomePage'),
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ to, left }: Record<string, unknown>): { to?: string; left?: boolean } => {
    const path = arrivalPath(to)
    return { ...(path === undefined ? {} : { to: path }), ...(left === true ? { left } : {}) }
  },
  component: lazyRouteComponent(() => import('../pages/signIn/SignInPage.tsx'), 'SignInPage'),
})

const portalPage = lazyRouteComponent(() => import('../pages/signIn/PortalPage.tsx'), 'PortalPage')

const portal = createRoute({ getParentRoute: () => root, path: '/portal', component: portalPage })

const workspace = createRoute({
  getParentRoute: () => root,
  path: '/w/$ws',
  component: lazyRouteComponent(() => import('../workspace/WorkspacePages.tsx'), 'WorkspacePages'),
})

const workspaceHome = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  component: () => <Navigate from="/w/$ws" to="/w/$ws/webhooks" replace />,
})

const webhooks = createRoute({
  getParentRoute: () => workspace,
  path: 'webhooks',
  validateSearch: webhookSearch,
  component: lazyRouteComponent(() => import('../pages/webhooks/list/WebhooksPage.tsx'), 'WebhooksPage'),
})

const addWebhook = createRoute({
  getParentRoute: () => workspace,
  path: 'webhooks/new',
  component: lazyRouteComponent(() => import('../pages/webhooks/add/AddWebhookPage.tsx'), 'AddWebhookPage'),
})

const webhook = createRoute({
  getParentRoute: () => workspace,
  path: 'webhooks/$id',
  validateSearch: periodSearch,
  component: lazyRouteComponent(() => import('../pages/webhooks/one/WebhookPage.tsx'), 'WebhookPage'),
})

const settings = createRoute({
  getParentRoute: () => workspace,
  path: 'settings',
  component: lazyRouteComponent(() => import('../pages/settings/SettingsPage.tsx'), 'SettingsPage'),
})

/** Search words of a list. */
const wordsSearch = ({ q }: Record<string, unknown>): { q?: string } =>
  q === undefined || q === '' ? {} : { q: String(q) }

const eventTypes = createRoute({
  getParentRoute: () => workspace,
  path: 'events',
  validateSearch: wordsSearch,
  component: lazyRouteComponent(() => import('../pages/events/EventTypesPage.tsx'), 'EventTypesPage'),
})

const eventType = createRoute({
  getParentRoute: () => workspace,
  path: 'events/$type',
  validateSearch: ({ view }: Record<string, unknown>): { view?: 'schema' } =>
    view === 'schema' ? { view } : {},
  component: lazyRouteComponent(() => import('../pages/events/EventTypePage.tsx'), 'EventTypePage'),
})

const eventLog = createRoute({
  getParentRoute: () => workspace,
  path: 'event-log',
  validateSearch: readEventSearch,
  component: lazyRouteComponent(() => import('../pages/eventLog/EventLogPage.tsx'), 'EventLogPage'),
})

const event = createRoute({
  getParentRoute: () => workspace,
  path: 'event-log/$id',
  component: lazyRouteComponent(() => import('../pages/eventLog/EventPage.tsx'), 'EventPage'),
})

const audit = createRoute({
  getParentRoute: () => workspace,
  path: 'audit-log',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('../pages/audit/AuditPage.tsx'), 'AuditPage'),
})

const metrics = createRoute({
  getParentRoute: () => workspace,
  path: 'metrics',
  validateSearch: periodSearch,
  component: lazyRouteComponent(() => import('../pages/metrics/MetricsPage.tsx'), 'MetricsPage'),
})

/** The address of 0.1.0, for bookmarks. */
const formerMetrics = createRoute({
  getParentRoute: () => workspace,
  path: 'figures',
  validateSearch: periodSearch,
  component: () => <Navigate from="/w/$ws/figures" to="/w/$ws/metrics" search replace />,
})

const deliveries = createRoute({
  getParentRoute: () => workspace,
  path: 'deliveries',
  validateSearch: readDeliverySearch,
  component: lazyRouteComponent(() => import('../pages/deliveries/DeliveriesPage.tsx'), 'DeliveriesPage'),
})

const delivery = createRoute({
  getParentRoute: () => workspace,
  path: 'webhooks/$id/deliveries/$did',
  component: lazyRouteComponent(() => import('../pages/delivery/DeliveryPage.tsx'), 'DeliveryPage'),
})

const replays = createRoute({
  getParentRoute: () => workspace,
  path: 'replays',
  validateSearch: readReplaySearch,
  component: lazyRouteComponent(() => import('../pages/replays/ReplaysPage.tsx'), 'ReplaysPage'),
})

const operator = createRoute({
  getParentRoute: () => root,
  path: '/operator',
  component: lazyRouteComponent(() => import('../pages/operator/OperatorPages.tsx'), 'OperatorPages'),
})

const health = createRoute({
  getParentRoute: () => operator,
  path: '/',
  validateSearch: periodSearch,
  component: lazyRouteComponent(() => import('../pages/operator/health/HealthPage.tsx'), 'HealthPage'),
})

const workspaces = createRoute({
  getParentRoute: () => operator,
  path: 'workspaces',
  validateSearch: wordsSearch,
  component: lazyRouteComponent(
    () => import('../pages/operator/workspaces/WorkspacesPage.tsx'),
    'WorkspacesPage',
  ),
})

const provisionedWorkspace = createRoute({
  getParentRoute: () => operator,
  path: 'workspaces/$ws',
  validateSearch: periodSearch,
  component: lazyRouteComponent(
    () => import('../pages/operator/workspaces/WorkspacePage.tsx'),
    'WorkspacePage',
  ),
})

const services = createRoute({
  getParentRoute: () => operator,
  path: 'services',
  component: lazyRouteComponent(() => import('../pages/operator/services/ServicesPage.tsx'), 'ServicesPage'),
})

// Not below `services`, where it would conflict with a service's name.
const newService = createRoute({
  getParentRoute: () => operator,
  path: 'new-service',
  validateSearch: ({ from }: Record<string, unknown>): { from?: string } =>
    from === undefined ? {} : { from: String(from) },
  component: lazyRouteComponent(
    () => import('../pages/operator/services/form/NewServicePage.tsx'),
    'NewServicePage',
  ),
})

const service = createRoute({
  getParentRoute: () => operator,
  path: 'services/$name',
  component: lazyRouteComponent(() => import('../pages/operator/services/ServicePage.tsx'), 'ServicePage'),
})

const editService = createRoute({
  getParentRoute: () => operator,
  path: 'services/$name/edit',
  component: lazyRouteComponent(
    () => import('../pages/operator/services/form/EditServicePage.tsx'),
    'EditServicePage',
  ),
})

const wholeAudit = createRoute({
  getParentRoute: () => operator,
  path: 'audit-log',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('../pages/operator/WholeAuditPage.tsx'), 'WholeAuditPage'),
})

const operators = createRoute({
  getParentRoute: () => operator,
  path: 'operators',
  component: lazyRouteComponent(
    () => import('../pages/operator/operators/OperatorsPage.tsx'),
    'OperatorsPage',
  ),
})

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    signIn,
    portal,
    workspace.addChildren([
      workspaceHome,
      webhooks,
      addWebhook,
      webhook,
      deliveries,
      delivery,
      replays,
      metrics,
      formerMetrics,
      eventLog,
      event,
      eventTypes,
      eventType,
      audit,
      settings,
    ]),
    operator.addChildren([
      health,
      workspaces,
      provisionedWorkspace,
      services,
      newService,
      service,
      editService,
      wholeAudit,
      operators,
    ]),
  ]),
  basepath: isEmbedded ? EMBED_PATH : '/',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingComponent: PagePending,
  defaultErrorComponent: PageFailure,
  defaultNotFoundComponent: PageMissing,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
