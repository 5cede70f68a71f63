/**
 * Merges sources that are each in order into one, reading each only as far as the result is read, and one item
 * further.
 * @param precedes whether `a` comes before `b`; a total order
 */
export function* merge<Item>(
  sources: Iterable<Iterator<Item, undefined>>,
  precedes: (a: Item, b: Item) => boolean,
): Generator<Item, undefined> {
  const heap: Head<Item>[] = []
  const before = (a: Head<Item>, b: Head<Item>) => precedes(a.item, b.item)
  for (const source of sources) {
    const { done, value } = source.next()
    if (!done) siftUp(heap, { item: value, source }, before)
  }
  for (let first = heap[0]; first !== undefined; first = heap[0]) {
    yield first.item
    const { done, value } = first.source.next()
    const next = done ? heap.pop()! : { item: value, source: first.source }
    if (heap.length > 0) siftDown(heap, next, before)
  }
}

/** A source and the item that it has come to. */
interface Head<Item> {
  readonly item: Item
  readonly source: Iterator<Item, undefined>
}

/** Adds to a heap: an array in which nothing precedes its parent, which for index `i` is `(i - 1) / 2`. */
function siftUp<Item>(heap: Item[], added: Item, precedes: (a: Item, b: Item) => boolean): void {
  let at = heap.length
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (!precedes(added, heap[parent]!)) break
    heap[at] = heap[parent]!
    at = parent
  }
  heap[at] = added
}

/** Puts another item in the place of a heap's first. */
function siftDown<Item>(heap: Item[], placed: Item, precedes: (a: Item, b: Item) => boolean): void {
  let at = 0
  for (;;) {
    const left = 2 * at + 1
    if (left >= heap.length) break
    const right = left + 1
    const child = right < heap.length && precedes(heap[right]!, heap[left]!) ? right : left
    if (!precedes(heap[child]!, placed)) break
    heap[at] = heap[child]!
    at = child
  }
  heap[at] = placed
}
