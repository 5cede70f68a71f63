/**
 * What an index stores of a word or a type: a number of 53 bits, which is smaller than the word. Two words of a workspace
 * collide so rarely (1 in 2⁵³) that nothing checks for it, and words of different workspaces are never compared.
 */
export type Term = number

export const termOfType = (type: string): Term => termOf(`t ${type}`)
export const termOfWord = (word: string): Term => termOf(`w ${word}`)

/** cyrb53, which is in the public domain. */
function termOf(text: string): Term {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    high = Math.imul(high ^ code, 2_654_435_761)
    low = Math.imul(low ^ code, 1_597_334_677)
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909)
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909)
  return 4_294_967_296 * (2_097_151 & low) + (high >>> 0)
}
