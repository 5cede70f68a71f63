import type { Member } from '../../storage/rows.ts'
import type { Caller } from '../shared/caller.ts'
import { notFound } from '../shared/problems.ts'

/** The signed-in member. @throws Problem `not_found` for operators who are no members */
export function ownMember({ member }: Caller): Member {
  if (member === null) throw notFound('member')
  return member
}
