import { Type } from 'typebox'
import { askedWords } from '../../core/search/words.ts'
import type { StoredEvent, Workspace } from '../../storage/rows.ts'
import type { TextQuery } from '../../storage/storage.ts'
import type { Context, ServiceContext } from './context.ts'
import { eventOrNull } from './feed.ts'
import { invalidRequest, Problem } from './problems.ts'
import { isoTimeOrNull } from './time.ts'
import type { Visibility } from './visibility.ts'

const MAX_QUESTION = 200

/** Query parameter of lists that are searched. @param contents the scope without which a key may not; `null`: every key may */
export const questionQuery = (contents: string | null) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_QUESTION,
      description: `Only what belongs to an event in which all of these words stand, in the members that the service searches, such as ids, names and titles. Upper and lower case are the same; a word must be written in full, and 8 words are looked for at most. The id of an event or of a delivery finds that one alone.${contents === null ? '' : ` Words need the scope \`${contents}\`; ids do not.`}`,
      examples: ['winter commuters'],
    }),
  )

/** Member of every page that a search gives. */
export const reachSchema = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  format: 'date-time',
  description:
    'Until when the search has everything: what happened later may be missing from the page for some seconds. Null: it has everything.',
})

export const reachJson = isoTimeOrNull

/** What a question is read by. */
export type Asking = Context & Pick<ServiceContext, 'dialect'>

/** What a question asks for. */
export type Question =
  | { readonly event: StoredEvent }
  | { readonly deliveryId: number }
  | { readonly text: TextQuery }

/**
 * Reads the text of a search: the id of an event or of a delivery, or words.
 * @throws Problem `scope_missing` where the words stand in what the caller may not see; one that names the parameter
 */
export async function readQuestion(
  ctx: Asking,
  workspace: Workspace,
  { contents }: Pick<Visibility, 'contents'>,
  question: string,
): Promise<Question> {
  const id = question.trim()
  const event = await eventOrNull(ctx, workspace, id)
  if (event !== null) return { event }
  const deliveryId = ctx.engine.ids.parseDelivery(workspace, id)
  if (
    deliveryId !== null &&
    (await ctx.storage.log.getDelivery({ workspaceId: workspace.id, deliveryId })) !== null
  )
    return { deliveryId }
  if (!contents) {
    const scope = ctx.dialect.contentsScope
    throw new Problem(
      'scope_missing',
      `This API key lacks the scope ${scope}, without which q may only be an id.`,
    )
  }
  const words = askedWords(question)
  if (words.length > 0) return { text: { words, members: ctx.dialect.searchable } }
  throw invalidRequest(
    [{ pointer: '/q', message: 'must hold a word, such as a name or an id' }],
    'query string',
  )
}
