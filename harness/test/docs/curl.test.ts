import { expect, test } from 'vitest'
import { curlRequest } from '../../src/docs/curl.ts'

test.each([
  ['GET', ['-sS', '$URL/v1/a']],
  ['POST', ['$URL/v1/a', '-d', '{}']],
  ['POST', ['--json', '{}', '$URL/v1/a']],
  ['GET', ['-G', '$URL/v1/a', '-d', 'limit=1']],
  ['HEAD', ['-sI', '$URL/v1/a']],
  ['PATCH', ['-X', 'PATCH', '$URL/v1/a', '-d', '{}']],
  ['PUT', ['-sXPUT', '$URL/v1/a']],
  ['DELETE', ['--request', 'DELETE', '$URL/v1/a']],
  ['GET', ['-so', '/dev/null', '-w', '%{http_code}', '$URL/v1/a']],
])('knows %s in %j', (method, args) => {
  expect(curlRequest(args)).toEqual({ method, path: '/v1/a', isOurs: true })
})

test.each([
  [['--upload-file', 'a', '$URL/v1/a'], 'no flag --upload-file'],
  [['-sk', '$URL/v1/a'], 'no flag -k'],
  [['-X', 'FETCH', '$URL/v1/a'], 'no method FETCH'],
  [['-X'], '-X lacks its value'],
  [['-s'], '0 URLs'],
  [['$URL/v1/a', '$URL/v1/b'], '2 URLs'],
  [['example'], 'no URL'],
])('rejects %j', (args, message) => {
  expect(() => curlRequest(args)).toThrow(message)
})

test('tells requests to Posthorn from those to others', () => {
  const isOurs = (url: string) => curlRequest([url]).isOurs
  expect(['http://localhost:8080/readyz', 'https://hooks.example.com/readyz'].map(isOurs)).toEqual([
    true,
    true,
  ])
  expect(['https://example.com', 'https://hooks.example.com.evil/'].map(isOurs)).toEqual([false, false])
})
