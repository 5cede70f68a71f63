/** Whether every word of a search occurs in one of the texts, ignoring case. @param search words separated by spaces */
export function hasAllWords(search: string, texts: readonly string[]): boolean {
  const text = texts.join(' ').toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** "a webhook", "an endpoint". */
export const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`
