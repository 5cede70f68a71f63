import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Call } from '../../../src/api/client.ts'
import { expectProblem } from '../expectProblem.ts'
import { blankParams, parameterNames, withCode } from '../operations.ts'
import { sampleOf } from '../samples/index.ts'
import { call } from '../world.ts'

/** For a profile, which may have many event types. */
const PROFILE_LIMIT = 2 * 1024 * 1024

const KIB = 1024
/** Highest size of a request body, in bytes, if it is not {@link USUAL_LIMIT}. */
const LIMITS: Readonly<Record<string, number>> = {
  createService: PROFILE_LIMIT,
  checkService: PROFILE_LIMIT,
  updateService: PROFILE_LIMIT,
  publishContentEvent: 256 * KIB,
  publishAdsEvent: 256 * KIB,
  publishContentEvents: 5 * KIB * KIB,
  publishAdsEvents: 5 * KIB * KIB,
}
const USUAL_LIMIT = 64 * KIB

const JSON_TYPE = { 'content-type': 'application/json' }

/** The call with another body. */
function withBody(sample: Call, body: string | Uint8Array, headers: Call['headers'] = JSON_TYPE): Call {
  const { json: _json, ...rest } = sample
  return { ...rest, body, headers }
}

export function bodies(): void {
  test.each(withCode('malformed_json'))(
    '%s rejects a body that is not JSON or not UTF-8',
    async (id, operation) => {
      const sample = await sampleOf(operation)
      for (const body of ['{', '{"a":1,}', "{'a':1}", 'NaN', Buffer.from([0x22, 0xff, 0x22])]) {
        await expectProblem(id, withBody(sample, body), 400, 'malformed_json')
      }
    },
  )

  test.each(withCode('malformed_request'))(
    '%s rejects a request that is not valid HTTP',
    async (id, operation) => {
      const call = { params: blankParams(operation), headers: { ...JSON_TYPE, 'content-length': 'many' } }
      await expectProblem(id, call, 400, 'malformed_request')
    },
  )

  const named = withCode('malformed_request').filter(([, one]) => parameterNames(one, 'path').length > 0)
  test.each(named)('%s rejects a path with invalid encoding', async (id, { path }) => {
    const wrong = path.replaceAll(/\{\w+\}/g, '%zz')
    await expectProblem(id, { path: wrong }, 400, 'malformed_request')
  })

  test.each(withCode('payload_too_large'))('%s accepts bodies up to its limit', async (id, operation) => {
    const sample = await sampleOf(operation)
    const limit = LIMITS[id] ?? USUAL_LIMIT
    const largest = JSON.stringify(sample.json ?? {}).padEnd(limit)
    await expectProblem(id, withBody(sample, `${largest} `), 413, 'payload_too_large')
    const { status, text } = await call(id, withBody(sample, largest))
    expect(status, text).toBeLessThan(300)
  })

  test.each(withCode('unsupported_media_type'))('%s accepts only plain JSON', async (id, operation) => {
    const sample = await sampleOf(operation)
    const text = JSON.stringify(sample.json ?? {})
    const zipped = { ...JSON_TYPE, 'content-encoding': 'gzip' }
    const refused = [
      withBody(sample, text, { 'content-type': 'text/plain' }),
      withBody(sample, 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }),
      withBody(sample, text, {}),
      withBody(sample, gzipSync(text), zipped),
    ]
    for (const what of refused) await expectProblem(id, what, 415, 'unsupported_media_type')
  })

  test.each(withCode('malformed_json'))(
    '%s rejects members that would pollute prototypes',
    async (id, operation) => {
      const body = '{"a":{"__proto__":{"b":1}}}'
      const { status, json } = await call(id, withBody(await sampleOf(operation), body))
      expect([status, json.errors?.map(({ pointer }) => pointer)]).toEqual([422, ['/a/__proto__']])
    },
  )
}
