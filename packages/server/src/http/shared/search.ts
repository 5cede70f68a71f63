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
      description: `Finds events that contain all of these words in the profile's \`searchable\` fields. Whole words, case-insensitive; words after the eighth are ignored. The id of an event or delivery finds exactly that event or delivery.${contents === null ? '' : ` Words need the scope \`${contents}\`; ids do not.`}`,
      examples: ['winter commuters'],
    }),
  )

/** Member of every page that a search gives. */
export const reachSchema = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  format: 'date-time',
  description: 'Events after this time may be missing until they are indexed. Null: all events are indexed.',
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
      `To search by words, use an API key with the scope ${scope}. Without it, q must be an event or delivery id.`,
    )
  }
  const words = askedWords(question)
  if (words.length > 0) return { text: { words, members: ctx.dialect.searchable } }
  throw invalidRequest(
    [{ pointer: '/q', message: 'must contain a word, such as a name or an id' }],
    'query string',
  )
}
