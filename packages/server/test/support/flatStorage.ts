import {
  CALL_GROUPS,
  type CallGroupName,
  type CallName,
  type StorageCalls,
} from '../../src/storage/callGroups.ts'
import type { ChangeName, Storage } from '../../src/storage/storage.ts'

/** A store with the calls of all its parts, and all changes, on one object: tests of the store make many. */
export type FlatStorage = Storage & StorageCalls

export type Call = (params: never) => Promise<unknown>
type Calls = Readonly<Record<string, Call>>

/** Wraps a call. */
export type Wrap = (name: CallName, call: Call) => Call

const CHANGES: { readonly [V in Exclude<ChangeName, 'publish'>]: true } = {
  createWorkspace: true,
  suspendWorkspace: true,
  deleteWorkspace: true,
  createMember: true,
  updateMember: true,
  updatePreferences: true,
  deleteMember: true,
  createKey: true,
  revokeKey: true,
  createAdminToken: true,
  revokeAdminToken: true,
  createSession: true,
  deleteSession: true,
  deleteSessions: true,
  createOperator: true,
  createSignInLink: true,
  createPortalLink: true,
  createWebhook: true,
  updateWebhook: true,
  deleteWebhook: true,
  rotateSecret: true,
  sendTest: true,
  resend: true,
  retryDelivery: true,
  retryWebhook: true,
  createReplay: true,
  cancelReplay: true,
  putProfile: true,
  removeProfile: true,
  createConsumer: true,
  seekConsumer: true,
  deleteConsumer: true,
  acknowledge: true,
}

const GROUP_NAMES = Object.keys(CALL_GROUPS) as CallGroupName[]

/** The same store. Its changes leave no entry in the audit log. */
export function flat<S extends Storage>(storage: S): S & FlatStorage {
  const calls = GROUP_NAMES.flatMap((group) =>
    CALL_GROUPS[group].map((name): [string, Call] => [
      name,
      (params) => callsOf(storage, group)[name]!(params),
    ]),
  )
  const changes = Object.keys(CHANGES).map((call): [string, Call] => [
    call,
    async (params) => {
      const change = { call: call as ChangeName, params, audit: null, idempotency: null, now: 0 }
      return (await storage.change(change)).result
    },
  ])
  return { ...storage, ...(Object.fromEntries([...calls, ...changes]) as unknown as StorageCalls) }
}

/** A view of a store, all of whose calls go through `wrap`. */
export function wrapCalls<S extends Storage>(storage: S, wrap: Wrap): S & FlatStorage {
  const wrapped = GROUP_NAMES.map((group) => [
    group,
    Object.fromEntries(
      CALL_GROUPS[group].map((name) => [
        name,
        wrap(name, (params) => callsOf(storage, group)[name]!(params)),
      ]),
    ),
  ])
  return flat({
    ...storage,
    ...Object.fromEntries(wrapped),
    change: wrap('change', (params) => storage.change(params)),
    check: wrap('check', () => storage.check()),
  })
}

/** A view of a store with some calls replaced. */
export const withCalls = <S extends Storage>(storage: S, calls: Partial<StorageCalls>): S & FlatStorage =>
  wrapCalls(storage, (name, call) => (calls[name] as Call | undefined) ?? call)

const callsOf = (storage: Storage, group: CallGroupName) => storage[group] as unknown as Calls
