import { expect, test } from 'vitest'
import { type CutEvidence, judge } from '../src/namespaces/judge.ts'

const CUT_AT = 1_000_000
const LEASE_UNTIL = CUT_AT + 4_000
const TAKEN_OVER_AT = CUT_AT + 5_000
const MENDED_AT = CUT_AT + 20_000
const [NODE, OTHER] = ['10.0.1.11', '10.0.1.12']
const [NODE_OUTSIDE, OTHER_OUTSIDE] = ['10.0.2.11', '10.0.2.12']
const URL = 'http://10.0.2.1/'

type Arrivals = CutEvidence['arrivals']

const arrival = (eventId: string, at: number, from = OTHER_OUTSIDE): Arrivals[number] => ({
  eventId,
  at,
  from,
  path: '/',
  url: URL,
})
const tried = (eventId: string, node: number, status: number): CutEvidence['tries'][number] => ({
  eventId,
  node,
  status,
  at: CUT_AT,
  tookMs: 1,
  contentType: null,
  retryAfter: null,
  code: null,
})
const recorded = (deliveryId: number, at: number): CutEvidence['records'][number] => ({
  deliveryId,
  client: OTHER,
  nodeId: 2,
  leaseUntil: at + 1_000,
  at,
})

/** The node had one of two deliveries and sent it; another node took it over and sent it, too. */
function evidence(changes: Partial<CutEvidence> = {}): CutEvidence {
  const life = { id: 1, client: NODE, at: 0, ended: { leaseUntil: LEASE_UNTIL, at: TAKEN_OVER_AT } }
  return {
    leaseMs: 4_000,
    cutAt: CUT_AT,
    restoredAt: MENDED_AT,
    address: NODE_OUTSIDE,
    life,
    held: [{ eventId: 'held', url: URL }],
    lives: [
      life,
      { id: 2, client: OTHER, at: 0, ended: null },
      { id: 3, client: NODE, at: MENDED_AT, ended: null },
    ],
    records: [recorded(1, CUT_AT + 6_000), recorded(2, CUT_AT)],
    freed: [{ deliveryId: 1, nodeId: 1, at: TAKEN_OVER_AT }],
    arrivals: [
      arrival('held', CUT_AT + 1, NODE_OUTSIDE),
      arrival('held', CUT_AT + 6_000),
      arrival('other', CUT_AT),
    ],
    urls: [URL],
    tries: [tried('held', 0, 202), tried('other', 1, 202), tried('refused', 0, 503)],
    refusedForGood: 0,
    readyAnswers: [{ at: CUT_AT + 5_000, answeredAt: CUT_AT + 5_000, status: 503 }],
    exits: [{ code: 0, signal: null }],
    ...changes,
  }
}

const complaints = (changes: Partial<CutEvidence> = {}) => judge(evidence(changes)).complaints

test('a disconnected node, whose deliveries are taken over and sent again, is correct', () => {
  const { metrics, complaints: found } = judge(evidence())
  expect(found).toEqual([])
  expect(metrics).toMatchObject({ heldAtTheCut: 1, takenOver: 1, takenOverAfterS: 5, sentTwice: 1 })
})

const { arrivals, life, lives } = evidence()
const CONTRADICTIONS: [what: string, changes: Partial<CutEvidence>, complaint: string][] = [
  ['an event that is lost', { arrivals: arrivals.slice(0, 2) }, 'other to http://10.0.2.1/ was acknowledged'],
  [
    'a record without a lease',
    { records: [{ ...recorded(1, CUT_AT), nodeId: null, leaseUntil: null }] },
    'no more',
  ],
  [
    'a record after the lease',
    { records: [{ ...recorded(1, CUT_AT), leaseUntil: CUT_AT - 7 }] },
    '7 ms after its lease',
  ],
  [
    'a record by another node',
    { records: [{ ...recorded(1, CUT_AT), nodeId: 1 }] },
    `under a lease of ${NODE}`,
  ],
  ['no takeover', { life: { ...life, ended: null } }, 'no node took over'],
  [
    'a node declared dead early',
    { life: { ...life, ended: { leaseUntil: TAKEN_OVER_AT + 3, at: TAKEN_OVER_AT } } },
    '3 ms before its lease expired',
  ],
  [
    'deliveries freed early',
    { freed: [{ deliveryId: 1, nodeId: 1, at: CUT_AT }] },
    'before the node was declared dead',
  ],
  ['a delivery without a takeover', { freed: [] }, 'of 1 deliveries held, 0 were taken over'],
  [
    'another node that lost its lease',
    { lives: lives.map((one) => ({ ...one, ended: life.ended })) },
    `the node at ${OTHER} lost its lease too`,
  ],
  [
    'a delivery sent twice without a lease',
    { arrivals: [...arrivals, arrival('other', MENDED_AT)] },
    'did not hold it',
  ],
  [
    'a delivery sent three times',
    { arrivals: [...arrivals, arrival('held', MENDED_AT)] },
    'was sent 3 times',
  ],
  [
    'a node that goes on sending',
    { arrivals: [...arrivals.slice(1), arrival('held', CUT_AT + 9_000, NODE_OUTSIDE)] },
    'long after its lease',
  ],
  ['a node that says it is ready', { readyAnswers: [] }, 'never said that it is not ready'],
  ['a refusal by another node', { tries: [tried('other', 1, 503)] }, 'node 1 answered a publish with 503'],
  ['a refusal for good', { refusedForGood: 2 }, '2 events are rejected for good'],
  ['an exit', { exits: [{ code: 1, signal: null }] }, 'a node ended with'],
]

test.each(CONTRADICTIONS)('%s is a contradiction', (_, changes, complaint) => {
  expect(complaints(changes).join('\n')).toContain(complaint)
})
