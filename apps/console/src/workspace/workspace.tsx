import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { adsService } from '../api/adsService.ts'
import { contentService } from '../api/contentService.ts'
import type { Rules } from '../api/rules.ts'
import type { Membership } from '../api/session.ts'
import type { Service } from '../model/service.ts'

/** The workspace that the page is about, as whoever is signed in may use it. */
export interface CurrentWorkspace {
  readonly id: string
  /** What stands for it in the address bar. */
  readonly ref: string
  readonly slug: string
  readonly name: string
  readonly suspended: boolean
  readonly role: Membership['role'] | 'operator'
  /** Owners change; editors, viewers and operators look. */
  readonly mayChange: boolean
  readonly service: Service
  readonly rules: Rules
}

export interface WorkspaceFacts {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly dialect: string
  readonly suspendedAt: string | null
  readonly role: CurrentWorkspace['role']
}

const Context = createContext<CurrentWorkspace | null>(null)

export function WorkspaceProvider(props: {
  readonly facts: WorkspaceFacts
  readonly pathRef: string
  readonly rules: Rules
  readonly children: ReactNode
}) {
  const { facts, pathRef, rules, children } = props
  const { id, slug, name, dialect, suspendedAt, role } = facts
  const workspace = useMemo(
    (): CurrentWorkspace => ({
      ...{ id, ref: pathRef, slug, name, role, rules },
      suspended: suspendedAt !== null,
      mayChange: role === 'owner',
      service: dialect === 'ads' ? adsService(id) : contentService(id),
    }),
    [id, slug, name, dialect, suspendedAt, role, pathRef, rules],
  )
  return <Context value={workspace}>{children}</Context>
}

export function useWorkspace(): CurrentWorkspace {
  const workspace = useContext(Context)
  if (workspace === null) throw new Error('this page belongs inside a workspace')
  return workspace
}
