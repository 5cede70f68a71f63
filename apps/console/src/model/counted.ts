const digits = new Intl.NumberFormat('en')

/** "1 webhook", "1,200 deliveries". @param nouns more of it; with an s when left out */
export const counted = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${digits.format(count)} ${count === 1 ? noun : nouns}`
