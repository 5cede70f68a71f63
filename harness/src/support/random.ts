/** Numbers in [0, 1) determined by a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const wholeNumber = (random: () => number, min: number, max: number) =>
  min + Math.floor(random() * (max - min + 1))

export const oneOf = <T>(random: () => number, choices: readonly T[]): T =>
  choices[Math.floor(random() * choices.length)]!

/** One of `choices`, with probability proportional to its weight. */
export function weighted<T extends { readonly weight: number }>(
  random: () => number,
  choices: readonly T[],
): T {
  let left = random() * choices.reduce((sum, { weight }) => sum + weight, 0)
  for (const choice of choices) {
    left -= choice.weight
    if (left < 0) return choice
  }
  return choices.at(-1)!
}
