type Profile = Readonly<Record<string, unknown>>

/** A profile as text for the editor. */
export const profileText = (profile: Profile): string => `${JSON.stringify(profile, null, 2)}\n`

/** A minimal profile. All other members default to Standard Webhooks. */
export const NEW_PROFILE = profileText({
  profile: 1,
  name: 'my-service',
  title: 'My service',
  catalog: {
    types: [
      {
        type: 'invoice.paid',
        title: 'Invoice paid',
        description: 'Sent when a customer has paid an invoice.',
        schema: {
          type: 'object',
          properties: { id: { type: 'string' }, amount: { type: 'integer' } },
          required: ['id', 'amount'],
        },
        example: { id: 'inv_1029', amount: 4900 },
      },
    ],
  },
})

const LONGEST_NAME = 32
const LONGEST_TITLE = 100

/** A copy of a profile with an unused name. @param taken names of services */
export function copyOf(profile: Profile, taken: readonly string[]): string {
  const name = String(profile.name)
  const names = ['-copy', ...Array.from({ length: taken.length }, (_, i) => `-copy-${i + 2}`)].map(
    (end) => name.slice(0, LONGEST_NAME - end.length) + end,
  )
  const free = names.find((one) => !taken.includes(one)) ?? name
  const title = `${profile.title} (copy)`.slice(0, LONGEST_TITLE)
  return profileText({ ...profile, name: free, title })
}

/** The service name in a profile; `null`: none, or not a JSON object. */
export function nameIn(text: string): string | null {
  try {
    const { name } = JSON.parse(text) as { readonly name?: unknown }
    return typeof name === 'string' ? name : null
  } catch {
    return null
  }
}
