/** How many tests and redeliveries an answer says are left; `null`: it says nothing. */
export function remainingOf(response: Response): number | null {
  const text = response.headers.get('ratelimit-remaining')
  return text === null ? null : Number(text)
}
