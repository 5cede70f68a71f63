import type { Member } from '../../storage/rows.ts'
import type { Caller } from '../shared/caller.ts'
import { notFound } from '../shared/problems.ts'

/** The member who asks. @throws Problem `not_found` for operators, who are none */
export function ownMember({ member }: Caller): Member {
  if (member === null) throw notFound('member')
  return member
}
