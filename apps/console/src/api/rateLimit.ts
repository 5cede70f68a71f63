/** Remaining manual sends according to a response; `null`: not given. */
export function remainingOf(response: Response): number | null {
  const text = response.headers.get('ratelimit-remaining')
  return text === null ? null : Number(text)
}
