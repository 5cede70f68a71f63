import { type Webhook, webhookName } from './webhook.ts'

/** Letters, digits, punctuation and single spaces. */
const EASY_TO_TYPE = /^[\p{L}\p{M}\p{N}\p{P}$+<=>|~^`]+( [\p{L}\p{M}\p{N}\p{P}$+<=>|~^`]+)*$/u
/** Shown in another way than it is typed. */
const NOT_AS_TYPED = /\p{Default_Ignorable_Code_Point}|\p{M}{3}/u
const LONGEST_TYPED = 40

/** What a person types to confirm: the name, or the host if the name is the URL or is hard to type. */
export function nameToType(webhook: Pick<Webhook, 'description' | 'url'>): string {
  const name = webhookName(webhook)
  if (webhook.description.trim() === '' || name.length > LONGEST_TYPED) return hostOf(webhook.url)
  return EASY_TO_TYPE.test(name) && !NOT_AS_TYPED.test(name) ? name : hostOf(webhook.url)
}

/** The host of a URL; the whole text if it is not a valid URL. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host || url : url)
