import { closed, pathId } from '../shared/schemas.ts'

/** Where the operations of a service are served. */
interface Layout {
  readonly base: string
  /** Before one delivery: in `workspace` it is found under its webhook, in `flat` only by its id. */
  readonly deliveries: string
  /** The list of the workspace's deliveries. */
  readonly log: string
}

export const LAYOUTS = {
  workspace: {
    base: '/v1/workspaces/:ws',
    deliveries: '/webhooks/:id/deliveries',
    log: '/deliveries',
  },
  flat: { base: '/api/v1', deliveries: '/webhook-deliveries', log: '/webhook-deliveries' },
} as const satisfies Readonly<Record<string, Layout>>

export type LayoutName = keyof typeof LAYOUTS

/** The path of a service's operation as one workspace calls it. @param ref id or slug of the workspace, as it was asked for */
export const pathIn = (layout: LayoutName, ref: string | undefined, path: string): string =>
  LAYOUTS[layout].base.replace(':ws', ref ?? '') + path

const workspaceId = pathId('Id or slug of the workspace.')

/** Schema of the parameters of a path; `undefined`: it has none. */
export function pathParams(layout: LayoutName, own: Readonly<Record<string, ReturnType<typeof pathId>>>) {
  const params = layout === 'workspace' ? { ws: workspaceId, ...own } : own
  return Object.keys(params).length === 0 ? undefined : closed(params)
}

/** The path of one delivery: under its webhook, or by its id. */
export const deliveryPath = (layout: LayoutName): string =>
  `${LAYOUTS[layout].deliveries}/${layout === 'workspace' ? ':did' : ':id'}`
