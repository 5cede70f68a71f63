import { createContext, type ReactNode, useContext, useMemo } from 'react'
import type { Rules } from '../api/rules.ts'
import { serviceOf } from '../api/service.ts'
import { type ServiceApi, serviceApi } from '../api/serviceApi.ts'
import type { ServiceDescription } from '../api/serviceDescription.ts'
import type { Membership } from '../api/session.ts'
import type { Service } from '../model/service.ts'

/** The current workspace, with the rights of the signed-in user. */
export interface CurrentWorkspace {
  readonly id: string
  /** Its id or slug in the URL. */
  readonly ref: string
  readonly slug: string
  readonly name: string
  readonly suspended: boolean
  readonly role: Membership['role'] | 'operator'
  /** Only owners may change webhooks. */
  readonly mayChange: boolean
  /** Owners and operators may send tests and resend single deliveries. */
  readonly maySend: boolean
  readonly service: Service
  /** For calls that a single page needs, so that other pages do not load them. */
  readonly api: ServiceApi
  readonly rules: Rules
}

export interface WorkspaceFacts {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly suspendedAt: string | null
  readonly role: CurrentWorkspace['role']
}

const Context = createContext<CurrentWorkspace | null>(null)

export function WorkspaceProvider(props: {
  readonly facts: WorkspaceFacts
  readonly pathRef: string
  readonly rules: Rules
  readonly description: ServiceDescription
  readonly children: ReactNode
}) {
  const { facts, pathRef, rules, description, children } = props
  const { id, slug, name, suspendedAt, role } = facts
  const workspace = useMemo(
    (): CurrentWorkspace => ({
      ...{ id, ref: pathRef, slug, name, role, rules },
      suspended: suspendedAt !== null,
      mayChange: role === 'owner',
      maySend: role === 'owner' || role === 'operator',
      service: serviceOf(id, description),
      api: serviceApi(id, description),
    }),
    [id, slug, name, suspendedAt, role, pathRef, rules, description],
  )
  return <Context value={workspace}>{children}</Context>
}

export function useWorkspace(): CurrentWorkspace {
  const workspace = useContext(Context)
  if (workspace === null) throw new Error('This page requires a workspace.')
  return workspace
}
