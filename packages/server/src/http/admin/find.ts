import { uuidFormat } from '../../core/idFormat.ts'
import { FORMS } from '../../core/textForms.ts'
import { dialectOf } from '../../engine/manage/publicIds.ts'
import type { ApiKey, Member, Workspace } from '../../storage/rows.ts'
import type { Context } from '../shared/context.ts'
import { knowsService } from '../shared/knownService.ts'
import { notFound, Problem } from '../shared/problems.ts'

/** Lower-case letters, digits and inner hyphens. No underscore, so that no prefixed id is also a slug. */
const SLUG = new RegExp(FORMS.slug.pattern)

/** A UUID has the form of a slug; as a slug it would shadow the workspace with that id. */
export const looksLikeId = (slug: string) => uuidFormat.parse(slug) !== null

/** @throws Problem `not_found`, also for references that no workspace can have */
export async function findWorkspace(ctx: Context, ref: string): Promise<Workspace> {
  const workspace = await workspaceOrNull(ctx, ref)
  if (workspace === null) throw notFound('workspace')
  return workspace
}

/** @returns null also for references that no workspace can have */
export async function workspaceOrNull(ctx: Context, ref: string): Promise<Workspace | null> {
  const mayBe = () =>
    SLUG.test(ref) || [...ctx.dialects.values()].some(({ ids }) => ids.workspace.parse(ref) !== null)
  // Another node may just have added a service with such ids.
  if (!mayBe()) await ctx.services.refresh()
  if (!mayBe()) return null
  const workspace = await ctx.storage.accounts.getWorkspace({ ref, dialects: null })
  if (workspace !== null) await knowsService(ctx, workspace.dialect)
  return workspace
}

/** @returns null also for ids that no member can have */
export async function findMember(ctx: Context, workspace: Workspace, id: string): Promise<Member | null> {
  if (dialectOf(ctx.dialects, workspace.dialect).ids.member.parse(id) === null) return null
  return ctx.storage.accounts.getMember({ workspaceId: workspace.id, publicId: id })
}

/** @throws Problem `not_found` */
export async function findMemberOrFail(ctx: Context, workspace: Workspace, id: string): Promise<Member> {
  const member = await findMember(ctx, workspace, id)
  if (member === null) throw notFound('member')
  return member
}

/** Rights from claims count only in sessions that start at the identity provider. @throws Problem `not_found` */
export function refuseFromProvider({ fromProvider }: Member): void {
  if (!fromProvider) return
  throw new Problem(
    'not_found',
    'This member was created by the identity provider and can only sign in there. To allow other ways to sign in, add the member by e-mail address with POST /admin/v1/workspaces/{ws}/members.',
  )
}

/** @throws Problem `not_found` */
export async function findKey(ctx: Context, workspace: Workspace, id: string): Promise<ApiKey> {
  const wellFormed = dialectOf(ctx.dialects, workspace.dialect).ids.key.parse(id) !== null
  const key = wellFormed
    ? await ctx.storage.accounts.getKey({ workspaceId: workspace.id, publicId: id })
    : null
  if (key === null) throw notFound('key')
  return key
}
